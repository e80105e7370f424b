//! The names of exits of a virtual machine, by the reasons that the processor gives: "Basic Exit Reasons" of Intel's manual (volume 3, appendix
//! C), and "SVM Intercept Exit Codes" of AMD's (volume 2, appendix C).

/// Whose reasons they are, as the tracepoint `kvm_exit` says (`KVM_ISA_VMX`, `KVM_ISA_SVM`).
const INTEL: u32 = 1;
const AMD: u32 = 2;

/// The name of an exit; its reason's number where the table lacks it.
pub(crate) fn exit_name(isa: u32, reason: u32) -> String {
    let table = match isa {
        INTEL => BY_INTEL,
        AMD => BY_AMD,
        _ => &[],
    };
    let is_of = |(first, many, _): &&(u32, u32, &str)| (*first..first + many).contains(&reason);
    match table.iter().find(is_of) {
        Some((_, 1, name)) => (*name).to_owned(),
        Some((first, _, name)) => format!("{name}_{}", reason - first),
        None => reason.to_string(),
    }
}

/// The first reason, how many there are of its kind, and the kind's name.
type Reasons = &'static [(u32, u32, &'static str)];

const BY_INTEL: Reasons = &[
    (0, 1, "exception_or_nmi"),
    (1, 1, "external_interrupt"),
    (2, 1, "triple_fault"),
    (3, 1, "init_signal"),
    (4, 1, "startup_ipi"),
    (7, 1, "interrupt_window"),
    (8, 1, "nmi_window"),
    (9, 1, "task_switch"),
    (10, 1, "cpuid"),
    (12, 1, "hlt"),
    (13, 1, "invd"),
    (14, 1, "invlpg"),
    (15, 1, "rdpmc"),
    (16, 1, "rdtsc"),
    (18, 1, "vmcall"),
    (28, 1, "control_register"),
    (29, 1, "debug_register"),
    (30, 1, "io_instruction"),
    (31, 1, "rdmsr"),
    (32, 1, "wrmsr"),
    (36, 1, "mwait"),
    (37, 1, "monitor_trap_flag"),
    (39, 1, "monitor"),
    (40, 1, "pause"),
    (41, 1, "machine_check"),
    (43, 1, "tpr_below_threshold"),
    (44, 1, "apic_access"),
    (45, 1, "virtualized_eoi"),
    (46, 1, "gdtr_or_idtr"),
    (47, 1, "ldtr_or_tr"),
    (48, 1, "ept_violation"),
    (49, 1, "ept_misconfiguration"),
    (50, 1, "invept"),
    (51, 1, "rdtscp"),
    (52, 1, "preemption_timer"),
    (53, 1, "invvpid"),
    (54, 1, "wbinvd"),
    (55, 1, "xsetbv"),
    (56, 1, "apic_write"),
    (57, 1, "rdrand"),
    (58, 1, "invpcid"),
    (59, 1, "vmfunc"),
    (60, 1, "encls"),
    (61, 1, "rdseed"),
    (62, 1, "page_modification_log_full"),
    (63, 1, "xsaves"),
    (64, 1, "xrstors"),
    (74, 1, "bus_lock"),
    (75, 1, "notify"),
];

const BY_AMD: Reasons = &[
    (0x00, 16, "read_of_cr"),
    (0x10, 16, "write_of_cr"),
    (0x20, 16, "read_of_dr"),
    (0x30, 16, "write_of_dr"),
    (0x40, 32, "exception"),
    (0x60, 1, "physical_interrupt"),
    (0x61, 1, "nmi"),
    (0x62, 1, "smi"),
    (0x63, 1, "init_signal"),
    (0x64, 1, "virtual_interrupt"),
    (0x65, 1, "selective_write_of_cr0"),
    (0x6e, 1, "rdtsc"),
    (0x6f, 1, "rdpmc"),
    (0x72, 1, "cpuid"),
    (0x73, 1, "rsm"),
    (0x74, 1, "iret"),
    (0x75, 1, "software_interrupt"),
    (0x76, 1, "invd"),
    (0x77, 1, "pause"),
    (0x78, 1, "hlt"),
    (0x79, 1, "invlpg"),
    (0x7a, 1, "invlpga"),
    (0x7b, 1, "io_instruction"),
    (0x7c, 1, "msr"),
    (0x7d, 1, "task_switch"),
    (0x7f, 1, "shutdown"),
    (0x80, 1, "vmrun"),
    (0x81, 1, "vmmcall"),
    (0x82, 1, "vmload"),
    (0x83, 1, "vmsave"),
    (0x84, 1, "stgi"),
    (0x85, 1, "clgi"),
    (0x87, 1, "rdtscp"),
    (0x89, 1, "wbinvd"),
    (0x8a, 1, "monitor"),
    (0x8b, 1, "mwait"),
    (0x8d, 1, "xsetbv"),
    (0x400, 1, "nested_page_fault"),
    (0x401, 1, "avic_incomplete_ipi"),
    (0x402, 1, "avic_unaccelerated_access"),
    (0x403, 1, "vmgexit"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_have_the_names_of_their_processor_and_others_their_number() {
        assert_eq!(exit_name(INTEL, 48), "ept_violation");
        assert_eq!(exit_name(INTEL, 11), "11", "between two that are known");
        assert_eq!(exit_name(AMD, 0x4e), "exception_14");
        assert_eq!(exit_name(AMD, 0x10), "write_of_cr_0");
        assert_eq!(exit_name(AMD, 0x78), "hlt");
        assert_eq!(exit_name(AMD, 0x400), "nested_page_fault");
        assert_eq!(exit_name(AMD, 0x500), "1280");
        assert_eq!(exit_name(0, 48), "48", "nobody says whose");
        for table in [BY_INTEL, BY_AMD] {
            assert!(table.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0));
        }
    }
}
