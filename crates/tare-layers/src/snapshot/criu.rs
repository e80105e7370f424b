//! Containers of runc and crun are saved and restored by CRIU, where it can do that on this host, as it says itself.

use crate::Unavailable;
use crate::layer::SAVED_KINDS;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use tare_keeper::{ProgramError, programs};

/// How long CRIU may look at this kernel.
const LOOK: Duration = Duration::from_secs(10);

/// What crun says of itself when it was built with CRIU.
const BUILT_IN: &str = "+CRIU";

/// The names of the folders where it may write begin so.
const WORK: &str = "criu-";

/// Most bytes of a log that are read, and most characters of a line that are told.
const MOST_READ: u64 = 4 << 20;
const MOST_SAID: usize = 300;

/// What it calls an error also where all goes well.
const HARMLESS: [&str; 1] = ["rlimit: Can't setup RLIMIT_NOFILE for self"];

/// What it said, which no setting of a layer alters.
static TRIED: OnceLock<Result<(), Unavailable>> = OnceLock::new();

/// Whether a container of runc can be saved here; `rootless` where it is an ordinary user's.
pub(crate) fn check(rootless: bool) -> Result<(), Unavailable> {
    if rootless {
        let why = "CRIU, which saves such containers, saves those of root alone";
        return Err(Unavailable::new(why, "run tare as root"));
    }
    TRIED.get_or_init(tried).clone()
}

/// The same for crun's, whose `program` may have been built without CRIU.
pub(crate) fn check_crun(program: &str, rootless: bool) -> Result<(), Unavailable> {
    let mut ask = programs::plain(programs::find(program)?);
    let version = programs::output(ask.arg("--version"), LOOK).unwrap_or_default();
    if !version.contains(BUILT_IN) {
        let why = format!("{program} was built without CRIU, which saves such containers");
        return Err(Unavailable::new(why, SAVED_KINDS));
    }
    check(rootless)
}

/// Where CRIU may write while it saves the boot `id`, beside the image in `folder`: what it says there outlives the boot.
pub(crate) fn work(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{WORK}{id}"))
}

/// The command that keeps what CRIU has written in `own`, a folder of the boot that it restored, as `kept` beside the image, while this tare
/// lives. Where CRIU fails or is killed it leaves a folder in `/tmp`, whose name is in its log; the command removes that, too.
pub(crate) fn tidy(own: &Path, kept: &Path) -> Vec<String> {
    let script = r#"log=$0/restore.log
        [ -d "/proc/$2" ] && mkdir "$1" && head -c 4M "$log" >"$1/restore.log"
        name=$(grep -o -m 1 '/tmp/[.]criu[.]mntns[.][[:alnum:]]*' "$log" | head -n 1)
        [ -z "$name" ] || [ ! -d "$name" ] || exec rmdir "$name""#;
    let [own, kept] = [own, kept].map(|folder| folder.display().to_string());
    let tare = std::process::id().to_string();
    ["sh".to_owned(), "-c".to_owned(), script.to_owned(), own, kept, tare].to_vec()
}

/// What CRIU wrote down last of what went wrong with the image in `folder`: a runtime says that it failed, and not why.
pub(crate) fn said(folder: &Path) -> Option<String> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let works = entries(folder).filter(|it| it.file_name().to_string_lossy().starts_with(WORK));
    let logs = works.flat_map(|work| entries(&work.path())).map(|entry| entry.path());
    let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    let last = logs.max_by_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok())?;
    let log = BufReader::new(File::open(last).ok()?.take(MOST_READ)).split(b'\n');
    let lines = log.map_while(Result::ok).map(|line| String::from_utf8_lossy(&line).into_owned());
    // `(00.042474)      1: Error (criu/mount.c:2232): mnt: Unable to mount overlay`.
    let mut errors = lines.filter_map(|line| Some(line.split_once("Error (")?.1.to_owned()));
    let why = errors.find(|why| !HARMLESS.iter().any(|harmless| why.contains(harmless)))?;
    let (_, why) = why.split_once("): ")?;
    Some(why.chars().take(MOST_SAID).collect())
}

fn tried() -> Result<(), Unavailable> {
    let criu = programs::find("criu").map_err(|_| {
        Unavailable::without_package("CRIU, which saves such containers, is not there", "criu")
    })?;
    // It says what is missing first, and what follows from that last.
    let script =
        "said=$(\"$0\" check 2>&1) || { printf '%s\\n' \"$said\" | grep -m 1 Error >&2; exit 1; }";
    let mut look = programs::plain("sh");
    look.args(["-c", script]).arg(criu);
    let failed = |error| {
        let why = match error {
            ProgramError::Failed { said, .. } => said, // CRIU's words, not the shell's
            other => other.to_string(),
        };
        let why = format!("CRIU, which saves such containers, fails on this host: {why}");
        Unavailable::new(why, format!("install a newer CRIU, or {SAVED_KINDS}"))
    };
    programs::output(&mut look, LOOK).map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_is_told_and_what_always_does_is_not() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(said(folder.path()), None);
        let work = work(folder.path(), "tare-1");
        fs::create_dir(&work).unwrap();
        let harmless = "(00.03) Error (criu/util.c:1533): rlimit: Can't setup RLIMIT_NOFILE for self: Operation not permitted\n";
        fs::write(work.join("restore.log"), harmless).unwrap();
        assert_eq!(said(folder.path()), None);
        let last = "(00.04)      1: Error (criu/mount.c:2232): mnt: Unable to mount overlay\n(00.05) Error (criu/cr-restore.c:2320): Restoring FAILED.\n";
        fs::write(work.join("restore.log"), format!("{harmless}{last}")).unwrap();
        assert_eq!(said(folder.path()).as_deref(), Some("mnt: Unable to mount overlay"));
    }
}
