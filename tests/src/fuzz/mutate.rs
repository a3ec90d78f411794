//! Random changes to inputs.

use rand::Rng;
use rand::rngs::SmallRng;

/// Longest input that is made, in bytes.
const MAX_LENGTH: usize = 1 << 16;

/// A seed, or a random change of one.
pub fn mutate(random: &mut SmallRng, seeds: &[Vec<u8>], dictionary: &[&str]) -> Vec<u8> {
    let mut input = pick(random, seeds).cloned().unwrap_or_default();
    // Few changes keep most of the form, many test recovery.
    let count = if random.random_bool(0.7) {
        random.random_range(1..4)
    } else {
        random.random_range(4..40)
    };
    for _ in 0..count {
        change(random, &mut input, seeds, dictionary);
        input.truncate(MAX_LENGTH);
    }
    input
}

fn pick<'a, T>(random: &mut SmallRng, of: &'a [T]) -> Option<&'a T> {
    if of.is_empty() { None } else { of.get(random.random_range(0..of.len())) }
}

/// A range of at most `most` bytes.
fn range(random: &mut SmallRng, length: usize, most: usize) -> std::ops::Range<usize> {
    if length == 0 {
        return 0..0;
    }
    let start = random.random_range(0..length);
    let end = (start + random.random_range(1..=most)).min(length);
    start..end
}

fn change(random: &mut SmallRng, input: &mut Vec<u8>, seeds: &[Vec<u8>], dictionary: &[&str]) {
    let length = input.len();
    match random.random_range(0..10) {
        0 => {
            let at = range(random, length, 1);
            for byte in &mut input[at] {
                *byte ^= 1 << random.random_range(0..8);
            }
        }
        1 => {
            let at = range(random, length, 4);
            for byte in &mut input[at] {
                *byte =
                    *pick(random, &[0, 1, 0x7f, 0x80, 0xff, b'(', b'{', b'"', b'0']).unwrap_or(&0);
            }
        }
        2 => drop(input.drain(range(random, length, 64))),
        3 => {
            // Repetition, up to deep nesting.
            let piece = input[range(random, length, 32)].to_vec();
            let times = *pick(random, &[1, 1, 2, 8, 300]).unwrap_or(&1);
            let at = random.random_range(0..=length);
            input.splice(at..at, piece.repeat(times));
        }
        4 => {
            let Some(other) = pick(random, seeds) else { return };
            let piece = other[range(random, other.len(), 256)].to_vec();
            let at = range(random, length, 64);
            input.splice(at, piece);
        }
        5 | 6 => {
            let Some(word) = pick(random, dictionary) else { return };
            let at = random.random_range(0..=length);
            input.splice(at..at, word.bytes());
        }
        7 => {
            // One word for another.
            let Some(word) = pick(random, dictionary) else { return };
            let at = word_at(random, input);
            input.splice(at, word.bytes());
        }
        8 => {
            let numbers = [
                "0",
                "1",
                "-1",
                "127",
                "128",
                "255",
                "256",
                "4294967295",
                "2147483648",
                "18446744073709551615",
                "18446744073709551616",
                "340282366920938463463374607431768211456",
                "99999999999999999999999999999999999999999",
            ];
            let at = word_at(random, input);
            let number = pick(random, &numbers).unwrap_or(&"0");
            input.splice(at, number.bytes());
        }
        _ => {
            if random.random_bool(0.3) {
                input.truncate(random.random_range(0..=length));
            } else {
                // Two pieces change places.
                let (a, b) = (word_at(random, input), word_at(random, input));
                let piece = input[a].to_vec();
                input.splice(b, piece);
            }
        }
    }
}

/// The word or number round a random place, or that place.
fn word_at(random: &mut SmallRng, input: &[u8]) -> std::ops::Range<usize> {
    if input.is_empty() {
        return 0..0;
    }
    let at = random.random_range(0..input.len());
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = input[..at].iter().rev().take_while(|b| is_word(b)).count();
    let after = input[at..].iter().take_while(|b| is_word(b)).count();
    at - before..at + after
}
