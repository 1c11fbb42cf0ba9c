//! The yardstick: every gzip member of an archive through libdeflate, one call a member, nothing else.

use std::{env, fs, ptr};

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_free_decompressor, libdeflate_gzip_decompress_ex,
    libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE, libdeflate_result_LIBDEFLATE_SUCCESS,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let archive = fs::read(env::args().nth(1).ok_or("argument: ARCHIVE")?)?;
    let mut plain = vec![0_u8; 1 << 20];
    let (mut at, mut members, mut bytes) = (0, 0_u64, 0_u64);
    // SAFETY: the pointers are of live slices and given with their lengths; the decompressor is freed
    // after its last use.
    unsafe {
        let decompressor = libdeflate_alloc_decompressor();
        while at < archive.len() {
            let (mut read, mut written) = (0, 0);
            let result = libdeflate_gzip_decompress_ex(
                decompressor,
                archive[at..].as_ptr().cast(),
                archive.len() - at,
                plain.as_mut_ptr().cast(),
                plain.len(),
                ptr::from_mut(&mut read),
                ptr::from_mut(&mut written),
            );
            if result == libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE {
                plain.resize(plain.len() * 2, 0);
                continue;
            }
            if result != libdeflate_result_LIBDEFLATE_SUCCESS {
                return Err(format!("member at {at}: libdeflate error {result}").into());
            }
            at += read;
            members += 1;
            bytes += written as u64;
        }
        libdeflate_free_decompressor(decompressor);
    }
    println!("{{\"members\": {members}, \"bytes\": {bytes}}}");
    Ok(())
}
