//! What requests read into and write from.

use crate::numbers;

/// Requests start and end at multiples of this: what every disk can do without the page cache.
const PAGE: usize = 4096;

#[repr(C, align(4096))]
#[derive(Clone)]
struct Page([u8; PAGE]);

/// Blocks of memory, one for each request in the queue.
pub struct Buffers {
    pages: Vec<Page>,
    size: usize,
}

impl Buffers {
    /// `count` blocks of `size` bytes that no disk can compress.
    pub fn new(count: usize, size: usize) -> Buffers {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let mut pages = vec![Page([0; PAGE]); count * size / PAGE];
        for word in pages.iter_mut().flat_map(|page| page.0.chunks_exact_mut(8)) {
            word.copy_from_slice(&numbers::next(&mut state).to_le_bytes());
        }
        Buffers { pages, size }
    }

    /// A block like these.
    pub fn first(&self) -> Buffers {
        Buffers { pages: self.pages[..self.size / PAGE].to_vec(), size: self.size }
    }

    /// Bytes of a block.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where each block starts; good as long as these buffers live.
    pub fn blocks(&mut self) -> Vec<*mut u8> {
        let pages = self.size / PAGE;
        self.pages.chunks_exact_mut(pages).map(|block| block.as_mut_ptr().cast()).collect()
    }

    /// The first block.
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.pages.as_mut_ptr().cast();
        // SAFETY: there is at least one block, and any bytes are valid.
        unsafe { std::slice::from_raw_parts_mut(start, self.size) }
    }
}
