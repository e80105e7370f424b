//! Arguments of a guest's kernel that were set and may do nothing, such as one that is spelled wrongly.

use tare_layers::Settings;
use tare_proto::Hello;

/// What is said of those among `settings` that the kernel behind `hello` has no parameter for.
pub fn without_parameter(settings: &Settings, hello: &Hello) -> Option<String> {
    let mut words = settings.words("append");
    words.retain(|word| hello.unknown_words.contains(word));
    (!words.is_empty()).then(|| {
        format!(
            "its kernel ({}) has no parameter for {}; unless it reads its command line in another way, as kernels do for pti= \
             and spectre_v2=, this changes nothing",
            hello.kernel,
            words.join(" ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_set_is_said_to_be_unknown() {
        let known = ["mem=256M", "mitigation=off"].map(str::to_owned);
        let hello = Hello { kernel: "6.1".into(), unknown_words: known.into(), ..Hello::default() };
        let said = |text| without_parameter(&Settings::parse(text).unwrap(), &hello);
        assert_eq!(said("qemu"), None);
        assert_eq!(said("qemu,append=quiet"), None);
        let both = said("qemu,append=quiet mitigation=off").unwrap();
        assert!(both.contains("kernel (6.1) has no parameter for mitigation=off;"), "{both}");
    }
}
