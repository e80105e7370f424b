//! Files of this host: read with a bound, made in the cache whole or not at all, and out of the page cache.

pub(crate) mod bounded;
pub(crate) mod page_cache;
pub(crate) mod work;
