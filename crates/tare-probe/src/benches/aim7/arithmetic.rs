//! Additions, multiplications and divisions of five types. Each operation needs the result of the one before, so
//! that no compiler or processor can do them all at once. No kernel is involved: what a layer adds here is what
//! it does to plain computing.

use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use std::hint::black_box;

pub const ROWS: &[Bench] = &[
    test("aim7/add_double", "18 million additions of doubles", || {
        chain(3.0, 9_000_000, (1.5, 0.25), |x: &mut f64, y: &mut f64| {
            *x += *y;
            *y -= *x;
        })
    }),
    test("aim7/add_float", "12 million additions of floats", || {
        chain(3.0, 6_000_000, (1.5, 0.25), |x: &mut f32, y: &mut f32| {
            *x += *y;
            *y -= *x;
        })
    }),
    test("aim7/add_long", "60 million additions of 64-bit integers", || {
        chain(3.0, 30_000_000, (1, 7), |x: &mut i64, y: &mut i64| {
            *x = opaque(x.wrapping_add(*y));
            *y = opaque(y.wrapping_sub(*x));
        })
    }),
    test("aim7/add_int", "60 million additions of 32-bit integers", || {
        chain(3.0, 30_000_000, (1, 7), |x: &mut i32, y: &mut i32| {
            *x = opaque(x.wrapping_add(*y));
            *y = opaque(y.wrapping_sub(*x));
        })
    }),
    test("aim7/add_short", "24 million additions of 16-bit integers", || {
        chain(3.0, 12_000_000, (1, 7), |x: &mut i16, y: &mut i16| {
            *x = opaque(x.wrapping_add(*y));
            *y = opaque(y.wrapping_sub(*x));
        })
    }),
    test("aim7/mul_double", "12 million multiplications of doubles", || {
        chain(2.0, 6_000_000, (1.5, 2.0), |x: &mut f64, y: &mut f64| {
            *x *= *y;
            *x *= 0.5;
        })
    }),
    test("aim7/mul_float", "12 million multiplications of floats", || {
        chain(2.0, 6_000_000, (1.5, 2.0), |x: &mut f32, y: &mut f32| {
            *x *= *y;
            *x *= 0.5;
        })
    }),
    test("aim7/mul_long", "240 thousand multiplications of 64-bit integers", || {
        chain(2.0, 120_000, (3, 7), |x: &mut i64, y: &mut i64| {
            *x = x.wrapping_mul(*y);
            *y = y.wrapping_mul(*x);
        })
    }),
    test("aim7/mul_int", "240 thousand multiplications of 32-bit integers", || {
        chain(2.0, 120_000, (3, 7), |x: &mut i32, y: &mut i32| {
            *x = x.wrapping_mul(*y);
            *y = y.wrapping_mul(*x);
        })
    }),
    test("aim7/mul_short", "300 thousand multiplications of 16-bit integers", || {
        chain(2.0, 150_000, (3, 7), |x: &mut i16, y: &mut i16| {
            *x = x.wrapping_mul(*y);
            *y = y.wrapping_mul(*x);
        })
    }),
    test("aim7/div_double", "3 million divisions of doubles", || {
        chain(1.0, 3_000_000, (3.7, 10.1), |x: &mut f64, y: &mut f64| *x = *y / *x)
    }),
    test("aim7/div_float", "3 million divisions of floats", || {
        chain(1.0, 3_000_000, (3.7, 10.1), |x: &mut f32, y: &mut f32| *x = *y / *x)
    }),
    test("aim7/div_long", "900 thousand divisions of 64-bit integers", || {
        chain(1.0, 900_000, (50_000, 4_000_000_007), |x: &mut i64, y: &mut i64| *x = *y / *x)
    }),
    test("aim7/div_int", "900 thousand divisions of 32-bit integers", || {
        chain(1.0, 900_000, (40_000, 2_000_000_011), |x: &mut i32, y: &mut i32| *x = *y / *x)
    }),
    test("aim7/div_short", "900 thousand divisions of 16-bit integers", || {
        chain(1.0, 900_000, (150, 32_000), |x: &mut i16, y: &mut i16| *x = *y / *x)
    }),
];

/// `steps` times the same step on two numbers that the compiler does not know.
fn chain<T: Copy + 'static>(
    weight: f64,
    steps: u64,
    start: (T, T),
    step: impl Fn(&mut T, &mut T) + 'static,
) -> Result<Op, Refusal> {
    job(weight, move || {
        let (mut x, mut y) = black_box(start);
        for _ in 0..steps {
            step(&mut x, &mut y);
        }
        black_box((x, y));
    })
}

/// `number`, of which the compiler no longer knows where it comes from: it would add whole chains at once.
#[inline(always)]
fn opaque<T: Integer>(number: T) -> T {
    number.opaque()
}

trait Integer {
    fn opaque(self) -> Self;
}

/// The same for each type, since a register's operand has one.
macro_rules! integers {
    ($($type:ty),*) => {
        $(impl Integer for $type {
            #[inline(always)]
            #[allow(asm_sub_register)] // there is no instruction to care
            fn opaque(mut self) -> Self {
                #[cfg(not(target_arch = "powerpc64"))]
                // SAFETY: no instruction is there at all.
                unsafe { std::arch::asm!("/* {0} */", inout(reg) self, options(pure, nomem, nostack)) };
                #[cfg(target_arch = "powerpc64")]
                {
                    self = black_box(self); // the oldest compiler has no assembler for it
                }
                self
            }
        })*
    };
}

integers!(i16, i32);

#[cfg(target_pointer_width = "64")]
integers!(i64);

/// Where it takes two registers.
#[cfg(target_pointer_width = "32")]
impl Integer for i64 {
    #[inline(always)]
    fn opaque(self) -> i64 {
        let (low, high) = ((self as i32).opaque(), ((self >> 32) as i32).opaque());
        i64::from(high) << 32 | i64::from(low as u32)
    }
}
