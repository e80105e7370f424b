//! Hypercalls of Xen's PV guests by number. The API shows no registers, so the number is taken from the
//! code: the constant that was put into AX in the block that calls, or in one of the few before it
//! (a kernel that has no page of stubs loads AX, calls a trampoline, which jumps to the call).

/// Blocks from the one that loads AX to the one that calls: the caller, the trampoline, the call.
const BLOCKS_BETWEEN: u32 = 3;

/// Names by number, as Xen's public interface has them; empty where it has none.
const NAMES: &[&str] = &[
    "set_trap_table",
    "mmu_update",
    "set_gdt",
    "stack_switch",
    "set_callbacks",
    "fpu_taskswitch",
    "sched_op_compat",
    "platform_op",
    "set_debugreg",
    "get_debugreg",
    "update_descriptor",
    "",
    "memory_op",
    "multicall",
    "update_va_mapping",
    "set_timer_op",
    "event_channel_op_compat",
    "xen_version",
    "console_io",
    "physdev_op_compat",
    "grant_table_op",
    "vm_assist",
    "update_va_mapping_otherdomain",
    "iret",
    "vcpu_op",
    "set_segment_base",
    "mmuext_op",
    "xsm_op",
    "nmi_op",
    "sched_op",
    "callback_op",
    "xenoprof_op",
    "event_channel_op",
    "physdev_op",
    "hvm_op",
    "sysctl",
    "domctl",
    "kexec_op",
    "tmem_op",
    "argo_op",
    "xenpmu_op",
    "dm_op",
    "hypfs_op",
];

/// The name of hypercall `number` in the result: `mmu_update`, or its number.
pub fn name(number: usize) -> String {
    let named = NAMES.get(number).filter(|name| !name.is_empty());
    named.map_or_else(|| number.to_string(), |name| (*name).to_owned())
}

/// The constant that the guest has put into AX last, and how many blocks ago.
#[derive(Default)]
pub struct Ax {
    value: u32,
    age: u32,
}

impl Ax {
    /// A block starts, which puts `loaded` into AX if it puts a constant there.
    #[inline(always)]
    pub fn start(&mut self, loaded: Option<u32>) {
        match loaded {
            Some(value) => *self = Ax { value, age: 0 },
            None => self.age = self.age.saturating_add(1),
        }
    }

    /// The number of a hypercall whose own block does not load AX; `None` when it was loaded too long ago.
    pub fn number(&self) -> Option<u32> {
        (self.age < BLOCKS_BETWEEN).then_some(self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hypercall_has_its_name_or_its_number() {
        assert_eq!([1, 11, 32, 60].map(name), ["mmu_update", "11", "event_channel_op", "60"]);
    }

    #[test]
    fn a_constant_in_ax_holds_for_the_blocks_up_to_the_call() {
        let mut ax = Ax::default();
        ax.start(Some(26));
        ax.start(None);
        ax.start(None);
        assert_eq!(ax.number(), Some(26));
        ax.start(None);
        assert_eq!(ax.number(), None, "it was loaded too long ago");
    }
}
