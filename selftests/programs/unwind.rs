// SPDX-License-Identifier: GPL-2.0-only
// unwind CALLS: every second call of risky() panics, and is caught.
#[inline(never)]
#[no_mangle]
pub extern "Rust" fn risky(n: u64) -> u64 {
    let text = vec![1u8; (n % 50 + 1) as usize];
    if n % 2 == 0 {
        panic!("even");
    }
    text.iter().map(|&byte| byte as u64).sum()
}

fn main() {
    let calls: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    std::panic::set_hook(Box::new(|_| ()));
    let caught = (0..calls).filter(|&i| std::panic::catch_unwind(|| risky(i)).is_err()).count();
    println!("{} caught", caught);
}
