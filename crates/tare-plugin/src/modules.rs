//! The modules that the machine's kernels have loaded, as the probe tells.

/// Most modules that are remembered: what says the marks may be another program.
const MOST: usize = 256;

/// A module that a kernel has loaded.
pub struct Module {
    /// Of the kernel of a machine inside which the layer runs.
    pub outside: bool,
    /// Its name, as a number.
    pub name: u64,
    /// Where its code begins.
    pub at: u64,
}

#[derive(Default)]
pub struct Modules {
    pub all: Vec<Module>,
    /// The name whose place comes next.
    name: u64,
}

impl Modules {
    pub fn is_called(&mut self, name: u64) {
        self.name = name;
    }

    pub fn is_at(&mut self, at: u64, outside: bool) {
        if self.all.len() < MOST {
            self.all.push(Module { outside, name: self.name, at });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_says_marks_without_end_fills_no_memory() {
        let mut modules = Modules::default();
        modules.is_called(7);
        (0..1000).for_each(|at| modules.is_at(at, true));
        assert_eq!(modules.all.len(), MOST);
        let last = &modules.all[MOST - 1];
        assert_eq!((last.name, last.at, last.outside), (7, MOST as u64 - 1, true));
    }
}
