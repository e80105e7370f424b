//! From the values of two layers to a judged ratio: of a row, and of the rows of a suite together.

pub(crate) mod analysis;
pub(crate) mod both;
pub(crate) mod cell;
pub(crate) mod choices;
pub(crate) mod floor;
pub(crate) mod geomean;
pub(crate) mod judge;
pub(crate) mod moved;
pub(crate) mod shapes;
pub(crate) mod subtracted;
pub(crate) mod support;
pub(crate) mod weigh;
