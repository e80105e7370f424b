//! One file a verb.

pub mod compare;
pub mod doctor;
pub mod keep;
pub mod list;
pub mod report;
pub mod resume;
pub mod run;
pub mod serve;
pub mod show;
