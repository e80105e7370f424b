//! Names of layers that say which setting of the knobs they are.

use std::collections::BTreeSet;

/// The value that leaves a setting as the layer has it.
pub const AS_IT_IS: &str = "-";

/// How the names of kernels' packages begin, which says nothing beside the others.
const PACKAGE: &str = "linux-image-";

/// The longest name that a layer may have.
const LONGEST: usize = 32;

/// A name for each of `points`: the layer's, and behind it what the knobs are set to. The most telling way that fits is taken:
/// `qemu+memory-1G`, else the words' first letters, else the values alone, else numbers.
pub fn names(layer: &str, knobs: &[&str], points: &[Vec<&str>]) -> Vec<String> {
    let whole = |knob: &str| fine(last(knob));
    let short = |knob: &str| initials(last(knob));
    let said = |label: &dyn Fn(&str) -> String, gap: &str| -> Vec<String> {
        let name = |point: &Vec<&str>| {
            let one =
                |(knob, value): (&&str, &&str)| format!("+{}{gap}{}", label(knob), value_of(value));
            let parts: Vec<String> = knobs.iter().zip(point).map(one).collect();
            format!("{layer}{}", parts.concat())
        };
        points.iter().map(name).collect()
    };
    let ways = [said(&whole, "-"), said(&short, "-"), said(&|_| String::new(), "")];
    let distinct = |names: &Vec<String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let fits =
        |names: &Vec<String>| distinct(names) && names.iter().all(|name| name.len() <= LONGEST);
    let numbers = || (1..=points.len()).map(|at| format!("{layer}+{at}")).collect();
    ways.into_iter().find(fits).unwrap_or_else(numbers)
}

/// `max_indirect_segments` of `append.xen_blkfront.max_indirect_segments`.
fn last(knob: &str) -> &str {
    knob.rsplit('.').next().unwrap_or(knob)
}

/// `mis` of `max_indirect_segments`; of a single word its first three letters.
fn initials(word: &str) -> String {
    let words: Vec<&str> = word.split(['_', '-']).filter(|word| !word.is_empty()).collect();
    let letters: String = match words.as_slice() {
        [one] => one.chars().take(3).collect(),
        many => many.iter().filter_map(|word| word.chars().next()).collect(),
    };
    fine(&letters)
}

/// What a file is called, without its folders, or the version of a kernel's package.
fn value_of(value: &str) -> String {
    if value == AS_IT_IS {
        return "usual".into();
    }
    let file = value.rsplit('/').find(|part| !part.is_empty()).unwrap_or(value);
    fine(file.strip_prefix(PACKAGE).unwrap_or(file))
}

/// With a dash for what names must not have.
fn fine(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.chars().map(|c| if allowed(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_as_much_as_fits() {
        let of = |layer, knobs: &[&str], points: &[&[&str]]| {
            let points: Vec<Vec<&str>> = points.iter().map(|point| point.to_vec()).collect();
            names(layer, knobs, &points)
        };
        assert_eq!(
            of("qemu", &["memory"], &[&["256M"], &["1G"]]),
            ["qemu+memory-256M", "qemu+memory-1G"]
        );
        let long = "append.xen_blkfront.max_indirect_segments";
        assert_eq!(
            of("xen-domu", &[long, "append.a.max_ring_page_order"], &[&["0", "4"]]),
            ["xen-domu+mis-0+mrpo-4"]
        );
        let kernels: &[&[&str]] = &[&["linux-image-6.1.0-47-amd64"], &["/boot/vmlinuz-6.9"]];
        assert_eq!(
            of("native", &["kernel"], kernels),
            ["native+kernel-6.1.0-47-amd64", "native+kernel-vmlinuz-6.9"]
        );
        assert_eq!(of("uml", &["kernel"], &[&["/a/linux"], &["/b/linux"]]), ["uml+1", "uml+2"]);
        assert_eq!(
            of("qemu", &["cpu"], &[&["max,-la57"], &["x y"]]),
            ["qemu+cpu-max--la57", "qemu+cpu-x-y"]
        );
    }
}
