//! One file per command.

pub mod bisect;
pub mod cache;
pub mod compare;
pub mod disk;
pub mod doctor;
pub mod explain;
pub mod export;
pub mod fleet;
mod gate;
pub mod generate;
pub mod import;
pub mod init;
pub mod keep;
pub mod list;
pub mod merge;
mod merged_result;
pub mod open;
pub mod pages;
pub mod papers;
pub mod predict;
pub mod report;
pub mod resume;
pub mod run;
pub mod serve;
pub mod show;
mod style;
pub mod verify;
