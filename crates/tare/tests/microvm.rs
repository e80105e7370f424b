//! The words of small monitors that no package brings: each is run with a stand-in that takes the monitor's own options (and
//! nothing else) and boots what they say with QEMU, the first serial line on its standard output. What the monitor's source says
//! of its standard input holds for the stand-in, too: where it would not read from that, QEMU gets nothing.

mod common;

use common::{Bench, done, path_with};

/// What all stand-ins end with: the machine that was described.
const BOOT: &str = r#"qemu-system-x86_64 -accel tcg -m "$memory" -smp "$cpus" -display none -monitor none -serial stdio \
    ${reset--no-reboot} -nodefaults -kernel "$kernel" -initrd "$initramfs" -append "$cmdline"
echo ended >"$0.ended"
"#;

const LKVM: &str = r#"[ "$1" = run ] && shift || exit 2
while [ $# -gt 0 ]; do
    case $1 in
    --mem) memory=$2 ;; --cpus) cpus=$2 ;; --kernel) kernel=$2 ;; --initrd) initramfs=$2 ;; --params) cmdline=$2 ;;
    --console) [ "$2" = serial ] || exit 2 ;; --network) [ "$2" = mode=none ] || exit 2 ;;
    *) echo "lkvm: $1?" >&2; exit 2 ;;
    esac
    shift 2
done
# term.c: its thread that reads is started only where both are terminals.
[ -t 0 ] && [ -t 1 ] || exec </dev/null
echo "  # lkvm run -k $kernel -m $memory -c $cpus --name guest-1"
cmdline="earlyprintk=serial console=ttyS0 $cmdline" # as kvmtool puts its own before what it is given
"#;

const CLOUD_HYPERVISOR: &str = r#"while [ $# -gt 0 ]; do
    case $1 in
    --cpus) cpus=${2#boot=} ;; --memory) memory=${2#size=} ;; --kernel) kernel=$2 ;; --initramfs) initramfs=$2 ;;
    --cmdline) cmdline=$2 ;; --console) [ "$2" = off ] || exit 2 ;; --serial) [ "$2" = tty ] || exit 2 ;;
    *) echo "cloud-hypervisor: $1?" >&2; exit 2 ;;
    esac
    shift 2
done
# serial_manager.rs: without a terminal there is no input; a machine that is reset starts again.
[ -t 0 ] || exec </dev/null
reset=
[ "$(head -c 4 "$kernel" | tail -c 3)" = ELF ] || { echo "cloud-hypervisor: no ELF image" >&2; exit 2; }
"#;

const FIRECRACKER: &str = r#"[ "$#.$1.$2" = 3.--no-api.--config-file ] || { echo "firecracker: $*?" >&2; exit 2; }
said=$(python3 -c '
import json, shlex, sys
with open(sys.argv[1]) as file: machine = json.load(file)
boot, size = machine["boot-source"], machine["machine-config"]
assert machine["drives"] == []
for name, value in [("kernel", boot["kernel_image_path"]), ("initramfs", boot["initrd_path"]), ("cmdline", boot["boot_args"]),
                    ("cpus", size["vcpu_count"]), ("memory", size["mem_size_mib"])]:
    print(name + "=" + shlex.quote(str(value)))
' "$3") || exit 2
eval "$said"
# serial.rs: it reads from a terminal or a pipe.
[ -t 0 ] || [ -p /dev/stdin ] || exec </dev/null
[ "$(head -c 4 "$kernel" | tail -c 3)" = ELF ] || { echo "firecracker: no ELF image" >&2; exit 2; }
"#;

#[test]
fn the_words_of_small_monitors_boot_what_they_describe() {
    let bench = Bench::new();
    for (kind, program, script) in [
        ("kvmtool", "lkvm", LKVM),
        ("cloud-hypervisor", "cloud-hypervisor", CLOUD_HYPERVISOR),
        ("firecracker", "firecracker", FIRECRACKER),
    ] {
        bench.script(program, &format!("{script}{BOOT}"));
        let path = path_with(&bench.path(""));
        let mut command = bench.command(&format!("doctor {kind},memory=256M"));
        let looked = done(command.env("PATH", path).output().unwrap());
        assert_eq!(looked.code, 0, "{}{}", looked.out, looked.err);
        assert!(looked.out.contains("runs here: boots in"), "{}", looked.out);
        let ended = bench.path(program).with_extension("ended");
        assert!(ended.exists(), "{kind}: the machine did not end by itself");
    }
    let listed = bench.ok("list").out;
    let stand_in =
        "written from its documentation, and run with a stand-in: Debian 12 has no package";
    assert_eq!(listed.matches(stand_in).count(), 3, "{listed}");
    let missing = bench.tare("doctor kvmtool");
    assert!(missing.code == 4 && missing.out.contains("no program lkvm"), "{}", missing.out);
}
