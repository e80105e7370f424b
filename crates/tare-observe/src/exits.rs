//! The names of exits of a virtual machine, by the reasons that the processor gives: "Basic Exit Reasons" of Intel's manual (volume 3, appendix
//! C), and "SVM Intercept Exit Codes" of AMD's (volume 2, appendix C).

/// Whose reasons they are, as the tracepoint `kvm_exit` says (`KVM_ISA_VMX`, `KVM_ISA_SVM`).
const INTEL: u32 = 1;
const AMD: u32 = 2;

/// The name of an exit; its reason's number where the table lacks it.
pub(crate) fn exit_name(isa: u32, reason: u32) -> String {
    let table = match (isa, reason) {
        (INTEL, _) => BY_INTEL,
        (AMD, 0x00..0x10) => return format!("read_of_cr_{reason}"),
        (AMD, 0x10..0x20) => return format!("write_of_cr_{}", reason - 0x10),
        (AMD, 0x20..0x30) => return format!("read_of_dr_{}", reason - 0x20),
        (AMD, 0x30..0x40) => return format!("write_of_dr_{}", reason - 0x30),
        (AMD, 0x40..0x60) => return format!("exception_{}", reason - 0x40),
        (AMD, _) => BY_AMD,
        _ => &[],
    };
    let known = table.iter().find(|(number, _)| *number == reason);
    known.map_or_else(|| reason.to_string(), |(_, name)| (*name).to_owned())
}

/// Reasons by their number.
type Reasons = &'static [(u32, &'static str)];

const BY_INTEL: Reasons = &[
    (0, "exception_or_nmi"),
    (1, "external_interrupt"),
    (2, "triple_fault"),
    (3, "init_signal"),
    (4, "startup_ipi"),
    (7, "interrupt_window"),
    (8, "nmi_window"),
    (9, "task_switch"),
    (10, "cpuid"),
    (12, "hlt"),
    (13, "invd"),
    (14, "invlpg"),
    (15, "rdpmc"),
    (16, "rdtsc"),
    (18, "vmcall"),
    (28, "control_register"),
    (29, "debug_register"),
    (30, "io_instruction"),
    (31, "rdmsr"),
    (32, "wrmsr"),
    (36, "mwait"),
    (37, "monitor_trap_flag"),
    (39, "monitor"),
    (40, "pause"),
    (41, "machine_check"),
    (43, "tpr_below_threshold"),
    (44, "apic_access"),
    (45, "virtualized_eoi"),
    (46, "gdtr_or_idtr"),
    (47, "ldtr_or_tr"),
    (48, "ept_violation"),
    (49, "ept_misconfiguration"),
    (50, "invept"),
    (51, "rdtscp"),
    (52, "preemption_timer"),
    (53, "invvpid"),
    (54, "wbinvd"),
    (55, "xsetbv"),
    (56, "apic_write"),
    (57, "rdrand"),
    (58, "invpcid"),
    (59, "vmfunc"),
    (60, "encls"),
    (61, "rdseed"),
    (62, "page_modification_log_full"),
    (63, "xsaves"),
    (64, "xrstors"),
    (74, "bus_lock"),
    (75, "notify"),
];

const BY_AMD: Reasons = &[
    (0x60, "physical_interrupt"),
    (0x61, "nmi"),
    (0x62, "smi"),
    (0x63, "init_signal"),
    (0x64, "virtual_interrupt"),
    (0x65, "selective_write_of_cr0"),
    (0x6e, "rdtsc"),
    (0x6f, "rdpmc"),
    (0x72, "cpuid"),
    (0x73, "rsm"),
    (0x74, "iret"),
    (0x75, "software_interrupt"),
    (0x76, "invd"),
    (0x77, "pause"),
    (0x78, "hlt"),
    (0x79, "invlpg"),
    (0x7a, "invlpga"),
    (0x7b, "io_instruction"),
    (0x7c, "msr"),
    (0x7d, "task_switch"),
    (0x7f, "shutdown"),
    (0x80, "vmrun"),
    (0x81, "vmmcall"),
    (0x82, "vmload"),
    (0x83, "vmsave"),
    (0x84, "stgi"),
    (0x85, "clgi"),
    (0x87, "rdtscp"),
    (0x89, "wbinvd"),
    (0x8a, "monitor"),
    (0x8b, "mwait"),
    (0x8d, "xsetbv"),
    (0x400, "nested_page_fault"),
    (0x401, "avic_incomplete_ipi"),
    (0x402, "avic_unaccelerated_access"),
    (0x403, "vmgexit"),
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
            assert!(table.windows(2).all(|two| two[0].0 < two[1].0));
        }
    }
}
