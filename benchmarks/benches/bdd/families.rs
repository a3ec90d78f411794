//! What is measured: each family makes scripts.

use std::collections::{BTreeMap, HashMap};
use std::io;

use sapa_backend::check::symbolic::plain::{ImageProblem, image_problems};
use sapa_bdd::Bdd;
use sapa_benchmarks::boolean;

use crate::script::{Instruction, Register, Script};

/// Some scripts that are judged together.
pub struct Family {
    pub name: &'static str,
    /// Names and scripts of the instances.
    pub instances: fn() -> io::Result<Vec<(String, Script)>>,
}

pub const FAMILIES: [Family; 5] = [
    Family {
        name: "queens",
        instances: || Ok((8..=12).map(|n| (n.to_string(), queens(n))).collect()),
    },
    Family {
        name: "multiplier",
        instances: || Ok((10..=12).map(|n| (format!("{n} bits"), multiplier(n))).collect()),
    },
    Family {
        name: "adder",
        instances: || {
            Ok(vec![
                ("good order, 512 bits".into(), adder(512, true)),
                ("good order, 2048 bits".into(), adder(2048, true)),
                ("bad order, 14 bits".into(), adder(14, false)),
                ("bad order, 16 bits".into(), adder(16, false)),
            ])
        },
    },
    Family { name: "images", instances: images },
    Family {
        name: "reordering",
        instances: || {
            Ok(vec![
                ("adder, 13 bits".into(), reordered(adder(13, false))),
                ("pairs, 16".into(), pairs(16)),
                ("multiplier, 8 bits".into(), reordered(multiplier(8))),
            ])
        },
    },
];

/// One queen in each row, none attacks another; variable `n * row + column`.
fn queens(n: usize) -> Script {
    let mut script = Script::new(n * n);
    let vars: Vec<Register> = (0..n * n).map(|v| script.var(v)).collect();
    let negated: Vec<Register> = vars.iter().map(|&v| script.not(v)).collect();
    script.push(Instruction::Start);
    let mut board: Option<Register> = None;
    let conjoin = |script: &mut Script, board: &mut Option<Register>, part: Register| {
        *board = Some(match *board {
            None => part,
            Some(old) => {
                let new = script.and(old, part);
                script.free([old, part]);
                new
            }
        });
    };
    for row in 0..n {
        let mut some = script.not(negated[n * row]);
        for column in 1..n {
            let more = script.or(some, vars[n * row + column]);
            script.free([some]);
            some = more;
        }
        conjoin(&mut script, &mut board, some);
        for column in 0..n {
            // A queen here excludes these.
            let mut quiet: Option<Register> = None;
            for other_row in 0..n {
                for other in 0..n {
                    let distance = row.abs_diff(other_row);
                    let attacked = (row, column) != (other_row, other)
                        && (row == other_row
                            || column == other
                            || column.abs_diff(other) == distance);
                    if attacked {
                        let this = negated[n * other_row + other];
                        quiet = Some(match quiet {
                            None => script.not(vars[n * other_row + other]),
                            Some(old) => {
                                let new = script.and(old, this);
                                script.free([old]);
                                new
                            }
                        });
                    }
                }
            }
            if let Some(quiet) = quiet {
                let rule = script.or(negated[n * row + column], quiet);
                script.free([quiet]);
                conjoin(&mut script, &mut board, rule);
            }
        }
    }
    script.push(Instruction::Stop);
    script.instructions.extend(board.map(Instruction::Count));
    script
}

/// Sum and carry of three bits.
fn full_adder(script: &mut Script, a: Register, b: Register, c: Register) -> (Register, Register) {
    let half = script.xor(a, b);
    let sum = script.xor(half, c);
    let both = script.and(a, b);
    let through = script.and(half, c);
    let carry = script.or(both, through);
    script.free([half, both, through]);
    (sum, carry)
}

/// All output bits of an array multiplier; the operands' bits interleaved.
fn multiplier(n: usize) -> Script {
    let mut script = Script::new(2 * n);
    let a: Vec<Register> = (0..n).map(|i| script.var(2 * i)).collect();
    let b: Vec<Register> = (0..n).map(|i| script.var(2 * i + 1)).collect();
    script.push(Instruction::Start);
    let mut sums: Vec<Register> = Vec::new();
    let mut outputs = Vec::new();
    for (row, &bit) in b.iter().enumerate() {
        let product: Vec<Register> = a.iter().map(|&a| script.and(a, bit)).collect();
        if row == 0 {
            sums = product;
        } else {
            // The sums so far, shifted by one, plus this row's product.
            let zero = script.and(bit, bit);
            let nothing = script.not(zero);
            let mut carry = script.and(zero, nothing);
            script.free([zero, nothing]);
            let mut next = Vec::new();
            for (i, &bit) in product.iter().enumerate() {
                let (sum, more) = match sums.get(i) {
                    Some(&above) => full_adder(&mut script, above, bit, carry),
                    None => (script.xor(bit, carry), script.and(bit, carry)),
                };
                script.free([carry]);
                carry = more;
                next.push(sum);
            }
            next.push(carry);
            script.free(product);
            script.free(sums);
            sums = next;
        }
        outputs.push(sums.remove(0));
    }
    outputs.extend(sums);
    script.push(Instruction::Stop);
    script.instructions.extend(outputs.into_iter().map(Instruction::Count));
    script
}

/// All outputs of a ripple-carry adder; in a good order the operands' bits alternate.
fn adder(n: usize, good: bool) -> Script {
    let mut script = Script::new(2 * n);
    let place =
        |operand: usize, bit: usize| if good { 2 * bit + operand } else { operand * n + bit };
    script.push(Instruction::Start);
    let mut outputs = Vec::new();
    let mut carry: Option<Register> = None;
    // From the most significant variable at the bottom: bit n-1 has the lowest place.
    for bit in 0..n {
        let at = n - 1 - bit;
        let (a, b) = (script.var(place(0, at)), script.var(place(1, at)));
        let (sum, more) = match carry {
            None => (script.xor(a, b), script.and(a, b)),
            Some(carry) => full_adder(&mut script, a, b, carry),
        };
        script.free([a, b]);
        script.free(carry);
        carry = Some(more);
        // Only some outputs are kept, so that diagrams die on the way.
        if bit % 4 == 3 || bit + 1 == n { outputs.push(sum) } else { script.free([sum]) }
    }
    outputs.extend(carry);
    script.push(Instruction::Stop);
    script.instructions.extend(outputs.into_iter().map(Instruction::Count));
    script
}

/// `x0 & y0 | x1 & y1 | …` with all x first.
fn pairs(n: usize) -> Script {
    let mut script = Script::new(2 * n);
    let mut result: Option<Register> = None;
    for i in 0..n {
        let (x, y) = (script.var(i), script.var(n + i));
        let both = script.and(x, y);
        let new = match result {
            None => script.and(both, both),
            Some(old) => script.or(old, both),
        };
        script.free([x, y, both]);
        script.free(result);
        result = Some(new);
    }
    script.push(Instruction::Start);
    script.push(Instruction::Reorder);
    script.push(Instruction::Stop);
    script.instructions.extend(result.map(Instruction::Count));
    script
}

/// The same diagrams, built before the clock runs and reordered while it does.
fn reordered(mut script: Script) -> Script {
    script.instructions.retain(|i| *i != Instruction::Start);
    for at in 0..script.instructions.len() {
        if script.instructions[at] == Instruction::Stop {
            script
                .instructions
                .splice(at..=at, [Instruction::Start, Instruction::Reorder, Instruction::Stop]);
            break;
        }
    }
    script
}

/// Image computations of Boolean programs, spread over ten scripts. The diagrams are built before
/// the clock runs.
fn images() -> io::Result<Vec<(String, Script)>> {
    const IMAGES: usize = 200;
    const SCRIPTS: usize = 10;
    // The last iteration of each run of CEGAR: the largest program.
    let mut last: BTreeMap<String, boolean::BooleanProgram> = BTreeMap::new();
    for program in boolean::programs()? {
        let stem = program.name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        last.insert(stem, program);
    }
    let per_program = IMAGES.div_ceil(last.len().max(1)) * 2;
    let mut problems: Vec<ImageProblem> = Vec::new();
    for program in last.values() {
        problems.extend(image_problems(&program.flat, 3, per_program).unwrap_or_default());
    }
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.set.size()));
    problems.truncate(IMAGES);
    let mut scripts = Vec::new();
    for group in 0..SCRIPTS {
        let chosen: Vec<&ImageProblem> = problems.iter().skip(group).step_by(SCRIPTS).collect();
        let vars = chosen.iter().map(|p| p.set.manager().num_vars()).max().unwrap_or(1);
        let mut script = Script::new(vars);
        let mut ready = Vec::new();
        for problem in &chosen {
            let set = load(&mut script, &problem.set);
            let steps: Vec<(Register, Register)> = problem
                .conjuncts
                .iter()
                .map(|(relation, cube)| {
                    let vars = cube.support().iter().map(|v| cube.manager().level(*v)).collect();
                    (load(&mut script, relation), script.cube(vars))
                })
                .collect();
            ready.push((set, steps));
        }
        script.push(Instruction::Start);
        let mut results = Vec::new();
        for (set, steps) in ready {
            let mut result = set;
            for (relation, cube) in steps {
                let next = script.and_exists(result, relation, cube);
                if result != set {
                    script.free([result]);
                }
                result = next;
            }
            results.push(result);
        }
        script.push(Instruction::Stop);
        script.instructions.extend(results.into_iter().map(Instruction::Count));
        scripts.push((format!("{} of {}", chosen.len(), problems.len()), script));
    }
    Ok(scripts)
}

/// Builds a diagram of ours from the bottom, a node an if-then-else.
fn load(script: &mut Script, root: &Bdd) -> Register {
    let mut built: HashMap<Bdd, Register> = HashMap::new();
    let mut vars: HashMap<usize, Register> = HashMap::new();
    // Children before parents, without recursion.
    let mut stack = vec![(root.clone(), false)];
    while let Some((bdd, ready)) = stack.pop() {
        if built.contains_key(&bdd) {
            continue;
        }
        let Some((var, low, high)) = bdd.children() else {
            let x = script.var(0);
            let negated = script.not(x);
            let constant =
                if bdd.is_true() { script.or(x, negated) } else { script.and(x, negated) };
            script.free([x, negated]);
            built.insert(bdd, constant);
            continue;
        };
        if !ready {
            stack.push((bdd, true));
            stack.push((low, false));
            stack.push((high, false));
            continue;
        }
        let level = bdd.manager().level(var);
        let x = *vars.entry(level).or_insert_with(|| script.var(level));
        let node = script.ite(x, built[&high], built[&low]);
        built.insert(bdd, node);
    }
    let result = built[root];
    let others: Vec<Register> =
        built.into_values().chain(vars.into_values()).filter(|&r| r != result).collect();
    script.free(others);
    result
}
