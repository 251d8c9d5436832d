//! Rust's `std::sync::RwLock` and `parking_lot::RwLock` under the workload of rwsem-lab bench: the same
//! phases, pattern of reads and writes, check that the lock excluded, latency buckets, arguments and
//! output as `../pthread/rwlock-bench.c`, whose head explains them. PREFER is `std`, `parking-lot` or
//! `broken`, which takes no lock and must be reported for it.
use std::cell::UnsafeCell;
use std::fmt::Write as _;
use std::process::exit;
use std::sync::atomic::{compiler_fence, AtomicI32, AtomicU32, Ordering::*};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

trait Lock: Send + Sync + 'static {
    fn new() -> Self;
    fn read(&self, body: impl FnOnce());
    fn write(&self, body: impl FnOnce());
}

impl Lock for std::sync::RwLock<()> {
    fn new() -> Self {
        std::sync::RwLock::new(())
    }
    #[inline]
    fn read(&self, body: impl FnOnce()) {
        let _guard = std::sync::RwLock::read(self).unwrap();
        body();
    }
    #[inline]
    fn write(&self, body: impl FnOnce()) {
        let _guard = std::sync::RwLock::write(self).unwrap();
        body();
    }
}

#[cfg(feature = "parking-lot")]
impl Lock for parking_lot::RwLock<()> {
    fn new() -> Self {
        parking_lot::RwLock::new(())
    }
    #[inline]
    fn read(&self, body: impl FnOnce()) {
        let _guard = parking_lot::RwLock::read(self);
        body();
    }
    #[inline]
    fn write(&self, body: impl FnOnce()) {
        let _guard = parking_lot::RwLock::write(self);
        body();
    }
}

struct Broken;
impl Lock for Broken {
    fn new() -> Self {
        Broken
    }
    fn read(&self, body: impl FnOnce()) {
        body();
    }
    fn write(&self, body: impl FnOnce()) {
        body();
    }
}

#[repr(align(128))]
struct Apart<T>(T);

/// A lock, and the two words of `src/bench/witness.ts`; relaxed, since the lock has to order them.
struct Site<L> {
    lock: Apart<L>,
    words: Apart<(AtomicI32, AtomicI32)>,
}

const PATTERN: usize = 1024;
const SUB_BITS: u32 = 5;
const SUB: usize = 1 << SUB_BITS;
const BUCKETS: usize = (31 - SUB_BITS as usize + 1) * SUB;
const WARMING: u32 = 0;
const WARM: u32 = 1;
const MEASURING: u32 = 2;
const STOPPED: u32 = 3;

struct Histogram {
    max_ns: i64,
    counts: Vec<u64>,
}

impl Histogram {
    fn new() -> Self {
        Histogram { max_ns: 0, counts: vec![0; BUCKETS] }
    }
    fn record(&mut self, ns: i64) {
        self.max_ns = self.max_ns.max(ns);
        let value = ns.clamp(0, i32::MAX as i64) as u32;
        let index = if (value as usize) < SUB {
            value as usize
        } else {
            let shift = 31 - value.leading_zeros() - SUB_BITS;
            (shift as usize + 1) * SUB + ((value >> shift) as usize - SUB)
        };
        self.counts[index] += 1;
    }
    fn json(&self) -> String {
        let pairs: Vec<String> = self.counts.iter().enumerate().filter(|(_, &n)| n > 0).map(|(i, n)| format!("[{i},{n}]")).collect();
        format!("{{\"maxNs\":{},\"buckets\":[{}]}}", self.max_ns, pairs.join(","))
    }
}

#[derive(Clone, Copy)]
enum Section {
    Empty,
    Spins(u64),
    Busy(Duration),
    Sleep(Duration),
}

fn parse_section(text: &str) -> Section {
    let (kind, amount) = text.split_once(':').unwrap_or((text, ""));
    let amount: f64 = amount.parse().unwrap_or(0.0);
    let time = Duration::from_nanos((amount * 1000.0) as u64);
    match kind {
        "empty" => Section::Empty,
        "spins" => Section::Spins(amount as u64),
        "busy" => Section::Busy(time),
        "sleep" => Section::Sleep(time),
        _ => {
            eprintln!("not a section: {text}");
            exit(2)
        }
    }
}

#[inline]
fn work(section: Section, x: &UnsafeCell<u32>) {
    match section {
        Section::Empty => {}
        Section::Spins(n) => {
            let mut value = unsafe { *x.get() }; // of this thread alone
            for _ in 0..n {
                value = std::hint::black_box(value.wrapping_mul(1664525).wrapping_add(1013904223));
            }
            unsafe { *x.get() = value };
        }
        Section::Busy(time) => {
            let from = Instant::now();
            while from.elapsed() < time {}
        }
        Section::Sleep(time) => thread::sleep(time),
    }
}

fn next_random(mut random: u32) -> u32 {
    random ^= random << 13;
    random ^= random >> 17;
    random ^ (random << 5)
}

/// Exactly the given share of reads, shuffled by a seed per thread.
fn make_pattern(read_percent: f64, seed: u32) -> Vec<bool> {
    let reads = (PATTERN as f64 * read_percent / 100.0).round() as usize;
    let mut pattern: Vec<bool> = (0..PATTERN).map(|i| i < reads).collect();
    let mut random = seed.wrapping_mul(0x9e3779b1) | 1;
    for i in (1..PATTERN).rev() {
        random = next_random(random);
        pattern.swap(i, random as usize % (i + 1));
    }
    pattern
}

struct Shared<L> {
    sites: Vec<Site<L>>,
    phase: Apart<AtomicU32>,
    progress: Vec<Apart<AtomicU32>>,
    barrier: Barrier, // passed twice: all are warm; all may start
    sample_every: u32,
    verify: bool,
    /// Read section and think, write section and think.
    sections: [Section; 4],
}

struct Counts {
    reads: u64,
    writes: u64,
    read_latency: Histogram,
    write_latency: Histogram,
}

struct Agent {
    index: usize,
    pattern: Vec<bool>,
    position: usize,
    random: u32,
    violations: u64,
    x: UnsafeCell<u32>,
}

impl Agent {
    fn run<L: Lock>(&mut self, shared: &Shared<L>, during: u32) -> Counts {
        let mut counts = Counts { reads: 0, writes: 0, read_latency: Histogram::new(), write_latency: Histogram::new() };
        while shared.phase.0.load(SeqCst) == during {
            let mut i = 0;
            while i < shared.sample_every && (i == 0 || shared.phase.0.load(SeqCst) == during) {
                self.once(shared, i == 0, &mut counts);
                i += 1;
            }
            shared.progress[self.index].0.store((counts.reads + counts.writes) as u32, Relaxed);
        }
        counts
    }

    #[inline]
    fn once<L: Lock>(&mut self, shared: &Shared<L>, timed: bool, counts: &mut Counts) {
        self.position = (self.position + 1) % PATTERN;
        let is_read = self.pattern[self.position];
        let site = if shared.sites.len() == 1 {
            &shared.sites[0]
        } else {
            self.random = next_random(self.random);
            &shared.sites[self.random as usize % shared.sites.len()]
        };
        let (entered_word, left_word) = (&site.words.0 .0, &site.words.0 .1);
        let [read_section, read_think, write_section, write_think] = shared.sections;
        let section = if is_read { read_section } else { write_section };
        let from = timed.then(Instant::now);
        let mut took_ns = 0;
        let mut violations = 0;
        let body = || {
            took_ns = from.map_or(0, |from| from.elapsed().as_nanos() as i64);
            if !shared.verify {
                return work(section, &self.x);
            }
            let (mut entered, left) = (entered_word.load(Relaxed), left_word.load(Relaxed));
            violations += u64::from(entered != left);
            if !is_read {
                entered = entered.wrapping_add(1);
                entered_word.store(entered, Relaxed);
            }
            compiler_fence(SeqCst);
            work(section, &self.x);
            compiler_fence(SeqCst);
            violations += u64::from(entered_word.load(Relaxed) != entered || left_word.load(Relaxed) != left);
            if !is_read {
                left_word.store(left.wrapping_add(1), Relaxed);
            }
        };
        let latency = if is_read {
            site.lock.0.read(body);
            counts.reads += 1;
            &mut counts.read_latency
        } else {
            site.lock.0.write(body);
            counts.writes += 1;
            &mut counts.write_latency
        };
        if timed {
            latency.record(took_ns);
        }
        self.violations += violations;
        work(if is_read { read_think } else { write_think }, &self.x);
    }
}

fn bench<L: Lock>(arguments: &[String]) {
    let number = |at: usize| arguments[at].parse::<f64>().unwrap_or(0.0);
    let (seconds, warm_up_ms, seed) = (number(0), number(1), number(5) as u32);
    let percents: Vec<f64> = (11..arguments.len()).map(number).collect();
    let site = |_| Site { lock: Apart(L::new()), words: Apart((AtomicI32::new(0), AtomicI32::new(0))) };
    let shared = Arc::new(Shared {
        sites: (0..number(4) as usize).map(site).collect(),
        phase: Apart(AtomicU32::new(WARMING)),
        progress: percents.iter().map(|_| Apart(AtomicU32::new(0))).collect(),
        barrier: Barrier::new(percents.len() + 1),
        sample_every: number(2) as u32,
        verify: number(3) != 0.0,
        sections: [7, 8, 9, 10].map(|at| parse_section(&arguments[at])),
    });
    let start = |(index, &percent): (usize, &f64)| {
        let shared = shared.clone();
        thread::spawn(move || {
            let own = seed.wrapping_add(index as u32);
            let random = own.wrapping_mul(0x85ebca6b) | 1;
            let mut agent = Agent { index, pattern: make_pattern(percent, own), position: 0, random, violations: 0, x: UnsafeCell::new(1) };
            let warm_writes = agent.run(&shared, WARMING).writes;
            shared.barrier.wait();
            shared.barrier.wait();
            let counts = agent.run(&shared, MEASURING);
            (counts, warm_writes, agent.violations)
        })
    };
    let threads: Vec<_> = percents.iter().enumerate().map(start).collect();

    thread::sleep(Duration::from_secs_f64(warm_up_ms / 1000.0));
    shared.phase.0.store(WARM, SeqCst);
    shared.barrier.wait();
    for word in &shared.progress {
        word.0.store(0, SeqCst);
    }
    shared.phase.0.store(MEASURING, SeqCst);
    shared.barrier.wait();
    let from = Instant::now();
    while from.elapsed().as_secs_f64() < seconds {
        thread::sleep(Duration::from_secs_f64((seconds - from.elapsed().as_secs_f64()).clamp(0.0, 0.2)));
        let operations: u64 = shared.progress.iter().map(|word| u64::from(word.0.load(Relaxed))).sum();
        eprintln!("progress {operations} {:.3}", from.elapsed().as_secs_f64());
    }
    shared.phase.0.store(STOPPED, SeqCst);
    let measured = from.elapsed().as_secs_f64();

    let (mut overlaps, mut writes, mut agents) = (0, 0u64, String::new());
    for (i, thread) in threads.into_iter().enumerate() {
        let (counts, warm_writes, violations) = thread.join().unwrap();
        overlaps += violations;
        writes += warm_writes + counts.writes;
        let comma = if i > 0 { "," } else { "" };
        let (read, write) = (counts.read_latency.json(), counts.write_latency.json());
        write!(agents, "{comma}{{\"reads\":{},\"writes\":{},\"readLatency\":{read},\"writeLatency\":{write}}}", counts.reads, counts.writes).unwrap();
    }
    let lost = |pick: fn(&(AtomicI32, AtomicI32)) -> &AtomicI32| {
        shared.sites.iter().fold(writes as u32, |left, site| left.wrapping_sub(pick(&site.words.0).load(Relaxed) as u32))
    };
    let lost_writes = if shared.verify { lost(|words| &words.0).max(lost(|words| &words.1)) } else { 0 };
    println!("{{\"seconds\":{measured:.9},\"agents\":[{agents}],\"overlaps\":{overlaps},\"lostWrites\":{lost_writes}}}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.get(6).map(String::as_str) {
        Some("std") if arguments.len() > 11 => bench::<std::sync::RwLock<()>>(&arguments),
        #[cfg(feature = "parking-lot")]
        Some("parking-lot") if arguments.len() > 11 => bench::<parking_lot::RwLock<()>>(&arguments),
        Some("broken") if arguments.len() > 11 => bench::<Broken>(&arguments),
        _ => {
            eprintln!("usage: see the head of the source");
            exit(2)
        }
    }
}
