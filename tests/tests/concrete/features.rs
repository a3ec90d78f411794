//! What random programs are made of. Indices and pointers stay within their objects, mostly: a
//! run that leaves one is not followed.

use super::template::Feature;

/// Steps that change an index and use it, before or after.
const STACK: Feature = Feature {
    name: "stack",
    globals: "static int a[4] = { 2, 1, 3, 0 }; static int top;",
    locals: "int j = 0;",
    variables: &["top", "a[0]", "a[1]", "a[top & 3]", "j"],
    values: &["a[j & 3]", "top & 3"],
    statements: &[
        "j = top; top = (j + 1) & 3; l = a[j];",
        "$[ j = top; top = j + 1; l = a[j]; $]",
        "$[ j = top; top = j + 1; l = a[j]; $] if (j == $c) assert(l != $c);",
        "$[ j = top; top = (j + 1) & 3; l = a[j]; $]",
        "$[ j = top & 3; $s l = a[j]; $]",
        "$[ j = top & 3; a[j] = $e; top = $n; l = a[j]; $]",
        "$[ a[top & 3] = $e; top++; l = a[top & 3]; $]",
        "$[ l = a[top++ & 3]; $]",
        "l = a[top++ & 3];",
        "if (top >= 0 && top < 3) { l = a[top++]; }",
        "if (top > 0 && top < 4) { a[--top] = $c; }",
        "a[top++ & 3] = $c;",
        "top = $n;",
        "a[$i] = $e;",
        "a[a[$i] & 3] = $c;",
        "l = a[a[top & 3] & 3];",
    ],
    predicates: &["top", "a[0]", "$f::j"],
};

/// A pointer that walks over an array.
const WALK: Feature = Feature {
    name: "walk",
    globals: "static int before[2] = { 3, 3 }; static int b[3] = { 1, 2, 0 }; static int after[2]; static int *q = b;",
    locals: "int *r = b;",
    variables: &["*q", "*r", "b[0]", "b[1]", "after[0]", "before[1]"],
    values: &["q - b", "r == q", "q > b", "r[0]", "q == &b[1]"],
    statements: &[
        "r = q; q = r + 1; l = *r;",
        "$[ r = q; q = r + 1; l = *r; $]",
        "$[ r = q; q = b + ($n); *r = $e; l = *q; $]",
        "$[ r = q; $s l = *r; $]",
        "l = *q++;",
        "*q++ = $c;",
        "q = b;",
        "q = &b[$i];",
        "r = b + $i;",
        "r = q;",
        "if (q > b) { q--; $s }",
        "if (r > b) { r--; *r = $e; }",
        "q = &b[1 + $n]; q[-1] = $e;",
        "r = b + 1 + $n; r[-1] = $e;",
        "r = b + 1 + $n; l = r[-1];",
        "r = &b[1] + $n; r--; *r = $c; assert(b[$i] != $c);",
        "r = $n ? b + 1 : b + 2; b[r - b] = $c;",
        "l = $i; r = &before[1]; if (l) r = after; *r = $c;",
    ],
    predicates: &["b[0]", "b[1]", "after[0]"],
};

/// Small arrays next to each other, negative offsets, wide indices.
const BYTES: Feature = Feature {
    name: "bytes",
    globals: "static char c0[3]; static char c1[3] = { 1, 0, 2 }; static char c2[3]; static char *s = c1; static int w0[2] = { 1, 2 }, w1[2] = { 3, 0 }; static int *wp = w0 - 1;",
    locals: "long i = 0; char *u = c1;",
    variables: &["c1[0]", "c1[1]", "c1[2]", "c0[1]", "c2[0]", "*s"],
    values: &["s - c1", "u - s", "s == u", "wp[1]", "wp[2]"],
    statements: &[
        "i = 1 + $n; c1[i - 1] = $c;",
        "i = 2; u = c1 + i; u[-1] = $c;",
        "i = $i; u = c1 + i; *u = $c;",
        "i = $i; l = c1[i];",
        "i = 1 + $n; u = &c1[i]; u--; *u = $c; assert(c1[$i] != $c);",
        "s = $n ? c1 + 1 : c1 + 2; c1[s - c1] = $c;",
        "s = $n ? c0 + 1 : c1 + 1;",
        "s = $n ? c2 : c1 + 2; s[$n - 1 + (s == c2)] = $c;",
        "s = c1;",
        "i = (long)$n << 62; l = w1[i + $n];",
        "i = (long)$n << 62; w1[i] = $c;",
        "wp = w0 - 1; wp[1 + $n] = $c;",
        "wp = w1 - 1 + $n; wp[1] = $c;",
        "l = w0[$n] + w1[$n];",
        "assert(w0[0] != $c || w1[1] != $c);",
    ],
    predicates: &["c1[0]", "c1[1]", "w0[0]"],
};

/// Tickets, which nobody else has; and who is served.
const TICKETS: Feature = Feature {
    name: "tickets",
    globals: "static int drawn, serving, inside; static _Thread_local int own;",
    locals: "int t = 0;",
    variables: &["drawn", "serving", "inside", "t", "t", "own"],
    values: &["drawn - t", "serving == t", "t < drawn"],
    statements: &[
        "$[ t = drawn; drawn = t + 1; $]",
        "$[ t = drawn++; $]",
        "$[ t = drawn++; $] assert(t < drawn);",
        "$[ t = drawn++; $] $s assert(t != $v || t == $c);",
        "t = drawn++;",
        "t = drawn++; x = t; $s assert(x == t || $b);",
        "if (serving == t) { $s serving = t + 1; }",
        "if (serving == t) { inside++; $s inside--; serving = t + 1; }",
        "$[ t = drawn++; $] __CPROVER_assume(serving == t); assert(inside == 0); inside = 1; inside = 0; serving = t + 1;",
        "$[ t = drawn++; $] __CPROVER_assume(serving == t); inside++; assert(inside == 1); inside--; $s serving = t + 1;",
        "assert(inside != 2);",
        "serving = t + 1;",
        "l = t;",
        "$[ own = drawn++; $] $s assert(own < drawn || $b);",
        "$[ own = drawn++; $] __CPROVER_assume(serving == own); inside++; assert(inside == 1); inside--; serving = own + 1;",
        "own = t; $s assert(own == t || $b);",
        "t = $e;",
    ],
    predicates: &[
        "drawn",
        "serving",
        "inside",
        "$f::t",
        "$f::t != [$f::t]",
        "[$f::t] < drawn",
        "$f::t == serving",
        "drawn < serving",
        "[$f::t] != serving",
        "own != [own]",
        "[own] < drawn",
        "own == serving",
        "$f::t != [own]",
        "own != [$f::t]",
    ],
};

/// Critical sections of two locks, what is done there and what is done without them.
const SECTIONS: Feature = Feature {
    name: "sections",
    globals: "static int g[2], held, free_for_all; static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;",
    locals: "int t = 0;",
    variables: &["g[0]", "g[1]", "held", "t", "t"],
    values: &["g[t & 1]", "held - g[0]"],
    statements: &[
        "$( g[0] = $e; g[1] = g[0]; $)",
        "$( g[t & 1] = $e; assert(g[t & 1] != $c); $)",
        "$( t = g[$n]; g[0] = t + 1; assert(g[0] != t); $)",
        "$( assert(g[0] == g[1] || $b); $)",
        "$( t = g[0]; $) $s $( assert(g[0] == t || $b); $)",
        "$( g[0]++; if ($b) { pthread_mutex_unlock(&m); return 0; } g[0]--; $)",
        "$( g[1] = $c; __CPROVER_assume($b); g[1] = $c; $)",
        "pthread_mutex_lock(&n); held++; $s held--; pthread_mutex_unlock(&n);",
        "pthread_mutex_lock(&n); t = held; held = $e; assert(held != $c || held == t); pthread_mutex_unlock(&n);",
        "$( pthread_mutex_lock(&n); held = g[0]; pthread_mutex_unlock(&n); g[1] = held; $)",
        "if (pthread_mutex_trylock(&n) == 0) { held = $c; $s pthread_mutex_unlock(&n); } else { free_for_all = 1; }",
        "assert(free_for_all == 0 || $b);",
        "free_for_all = $n;",
        "t = g[$n]; assert(t != $c);",
        "t = held;",
    ],
    predicates: &["g[0]", "g[1]", "held", "$f::t"],
};

/// Indices that are conditions.
const FLAGS: Feature = Feature {
    name: "flags",
    globals: "static _Bool flag[2]; static char mark[2]; static int in; static int other; static int *which[2] = { &other, &in };",
    locals: "_Bool me = $n;",
    variables: &[
        "flag[0]",
        "flag[1]",
        "mark[0]",
        "mark[1]",
        "in",
        "flag[me]",
        "flag[!me]",
        "other",
    ],
    values: &["!me", "flag[!me]", "me + mark[me]", "which[me] == &in", "*which[me]"],
    statements: &[
        "flag[!me] = $b;",
        "flag[me] = 1; if (!flag[!me]) { in++; $s in--; } flag[me] = 0;",
        "flag[me] = 1; while (flag[!me]) ; in++; assert(in == 1); in--; flag[me] = 0;",
        "flag[$v == $c] = $n;",
        "mark[$v == $c] = $c;",
        "l = $n; mark[l == 1] = $c;",
        "l = mark[$b];",
        "l = $n; mark[l == $n] = $c; assert(mark[$n] != $c);",
        "{ int *d = which[$n]; l = d == &in; mark[l] = $c; }",
        "{ int *d = which[me]; *d = $c; }",
        "{ char c[2]; c[0] = $c; c[1] = $c; c[!me] = $c; l = c[1]; }",
        "me = $b;",
        "me = !me;",
    ],
    predicates: &["in", "flag[0]", "mark[1]", "$f::me"],
};

/// Structures that point to each other.
const LIST: Feature = Feature {
    name: "list",
    globals: "struct node { int v; struct node *next; int w; };\nstatic struct node nodes[3] = { { 1, &nodes[1], 0 }, { 2, &nodes[2], 3 }, { 3, &nodes[0], 1 } }; static struct node *head = nodes, *saved = nodes;",
    locals: "struct node *h = nodes;",
    variables: &["head->v", "h->v", "h->w", "nodes[0].v", "nodes[1].v", "head->next->v"],
    values: &["h == head", "head - nodes", "saved->v"],
    statements: &[
        "h = head; head = h->next; l = h->v;",
        "$[ h = head; head = h->next; l = h->v; $]",
        "$[ h = head; head = h->next; l = h->v; $] assert(l != $c);",
        "$[ h = head; if (h) { head = h->next; l = h->v; } $]",
        "$[ h->next = head; head = h; $]",
        "$[ h = head; $s l = h->w; $]",
        "head = &nodes[$i];",
        "h = nodes + $i;",
        "h = nodes + 1 + $n; (h - 1)->v = $c;",
        "h = nodes + 1 + $n; l = (h - 1)->w;",
        "head = head->next;",
        "head->next = h;",
        "*h = *head;",
        "saved = head;",
        "nodes[$i].v = $e;",
        "l = head->next->next->v;",
    ],
    predicates: &["nodes[0].v", "nodes[1].v", "$f::l"],
};

/// Bytes of larger values.
const UNION: Feature = Feature {
    name: "union",
    globals: "static union { int whole; char byte[4]; } u0 = { .byte = { 1, 2, 0, 0 } }; static union { char byte[4]; int whole; } u1 = { .whole = 0x0102 };\n\
              struct padded { char c; int i; };\nstatic struct padded p0 = { 1, 2 }, p1;\n\
              static union { struct { int a; long b; } s; int w[4]; } u2; static union { struct padded s; char b[8]; int w[2]; } u3;\n\
              static union { struct { char t; int v; } __attribute__((packed)) p; char b[8]; } u4;",
    locals: "",
    variables: &[
        "u0.byte[0]",
        "u1.byte[1]",
        "p0.i",
        "p1.i",
        "p1.c",
        "u2.s.a",
        "u3.s.i",
        "u3.b[$i]",
    ],
    values: &["u0.whole & 3", "u1.whole", "u0.byte[1]", "u2.w[1]", "((char *)&p0)[$i]", "u4.p.v"],
    statements: &[
        "u0.byte[$i] = $e;",
        "u0.whole = $c; assert(u0.byte[$n] != $c);",
        "assert(u0.byte[$n] != $c);",
        "assert(u1.byte[$i] != $c);",
        "assert((u0.whole & 255) != $c);",
        "u1.whole = $e;",
        "memset(&p1, 0, sizeof p1);",
        "memset((char *)&p0, 0, sizeof p0);",
        "p0.i = $c; memset(&p0, 0, sizeof p0); assert(p0.i == $c);",
        "memcpy(&p1, &p0, sizeof p1);",
        "memcpy((char *)&p1, (char *)&p0, sizeof p0);",
        "p0.i = $c; memcpy((char *)&p1, (char *)&p0, sizeof p1); assert(p1.i != $c);",
        "p1 = p0;",
        "((char *)&p0)[$i] = $c;",
        "((char *)&p1)[4] = $c;",
        "u3.b[$i] = $c; assert(u3.b[$i] != $c);",
        "u3.w[$n] = $c;",
        "u3.w[$n] = -1; assert(u3.s.i == 0);",
        "u2.w[$i] = $c; assert(u2.w[1] != $c);",
        "u2.w[$i] = $c; u2.s.b = $c;",
        "{ int *d = (int *)&p1; d[$n] = $c; l = d[1]; }",
        "*(int *)((char *)&u2 + $n + $n) = -1; assert(u2.s.a == 0);",
        "u4.b[1 + $n] = $c;",
        "{ struct padded *d = malloc(sizeof *d); d->c = 0; ((int *)d)[1] = $c; d->c = 1; l = d->i; }",
    ],
    predicates: &["p0.i", "p1.i", "u0.whole"],
};

/// Choices in loops that nothing interrupts.
const CHOICES: Feature = Feature {
    name: "choices",
    globals: "static int old, seen; static void two(int *first, int *second) { int again = 0; for (;;) { int n = $n; if (again) { *second = n; break; } *first = n; again = 1; } }",
    locals: "int f = 0, g = 0;",
    variables: &["old", "seen", "f", "g"],
    values: &["f + g", "old == seen", "f == g"],
    statements: &[
        "$[ two(&old, &seen); $] assert(old == seen || $t);",
        "$[ two(&f, &g); $] assert(f == g);",
        "two(&f, &g); assert(f <= g || $b);",
        "$[ for (k = 0; k < 2; k++) { g = $n; if (k == 0) f = g; } $]",
        "$[ for (k = 0; k < 2; k++) { $s g = $n; if (!k) f = g; } $] assert(f == g || $b);",
        "for (k = 0; k < 2; k++) { int n = $n; if (k == 0) f = n; else g = n; }",
        "f = $n; g = $n; assert(f <= g || $t);",
        "$[ do { f = $n; g = f + $n; } while (g == 0 && $n); $]",
        "old = $n + $n;",
        "l = $n + $n; __CPROVER_assume(l > $n);",
    ],
    predicates: &["old", "seen", "$f::f", "$f::g"],
};

/// Memory of a function's own, reached through pointers.
const OWN: Feature = Feature {
    name: "own",
    globals: "static int next(int *index, int *array) { int j = *index; *index = j + 1; return array[j]; }\n\
              static void swap(int *one, int *two) { int kept = *one; *one = *two; *two = kept; }\n\
              struct pair { int first, second; };\nstatic struct pair both(int one, int two) { struct pair p = { one, two }; return p; }",
    locals: "int o[3] = { 2, 1, 3 }, e = 0; struct pair d = { 1, 2 };",
    variables: &["o[0]", "o[1]", "o[2]", "e", "d.first", "d.second"],
    values: &["o[$i]", "d.first + d.second", "*(o + $i)"],
    statements: &[
        "e = $n; l = next(&e, o);",
        "e = $n; l = next(&e, o); assert(l != $c);",
        "e = 0; l = next(&e, o) + next(&e, o);",
        "swap(&o[$i], &o[$i]);",
        "swap(&d.first, &d.second);",
        "swap(&e, &l);",
        "d = both($e, $e);",
        "{ struct pair *at = &d; at->first = $e; l = at->second; }",
        "{ int *at = $n ? &d.first : &e; *at = $c; }",
        "{ int *at = o + 2; at -= $n; *at = $c; l = at[-1]; }",
        "{ int *at = &o[1 + $n]; at[-1] = $c; assert(o[1] != $c); }",
        "o[$i] = $e;",
        "e = $i; o[e] = e; e = o[e];",
        "e = $n; o[e++] = $c; l = o[e];",
    ],
    predicates: &["$f::e", "$f::l"],
};

/// Variables that every thread has one of.
const LOCAL: Feature = Feature {
    name: "thread-local",
    globals: "static _Thread_local int own; static _Thread_local int mine[2]; static int limit, go;",
    locals: "",
    variables: &["own", "own", "mine[1]", "limit", "go"],
    values: &["own + limit", "limit - own", "mine[l & 1]"],
    statements: &[
        "own = $e;",
        "own++;",
        "l = $n; own = l;",
        "l = $n + 1; own = l;",
        "l = 2; own = l;",
        "assert(own != 0);",
        "if (limit == 1) l = 1; assert(l != 1);",
        "l = limit; own = l;",
        "own = limit;",
        "limit = own;",
        "limit = $n + 1;",
        "mine[$n] = $c;",
        "assert(own != $c);",
        "assert(own == l || $b);",
        "assert(own <= limit || $t);",
        "if (own < limit) { $s }",
        "k = limit; assert(own < k || $t);",
        "go = 1;",
        "__CPROVER_assume(go == 1);",
        "__CPROVER_assume(own < limit);",
        "l = $n + 1; __CPROVER_assume(l > limit); limit = l;",
        "l = $n + $n; __CPROVER_assume(l > 1); own = l; go = 0; go = 1; assert(own == l);",
        "go = 2; assert(own > $c);",
    ],
    predicates: &[
        "own == $f::l",
        "own == $f::l",
        "own <= $f::l",
        "$f::l > 0",
        "$f::l > 0",
        "$f::l < limit",
        "own < limit",
        "limit",
        "$f::l",
    ],
};

/// What a thread leaves behind for the next that has its place: nothing.
const PLACES: Feature = Feature {
    name: "places",
    globals: "static _Thread_local int left;",
    locals: "",
    variables: &["left", "l"],
    values: &["left - l"],
    statements: &[
        "l = 1 + $n; left = l;",
        "l = $n; __CPROVER_assume(l > 0); left = l;",
        "l = 2; left = l;",
        "left = x;",
        "l = left; x = l;",
        "l = 3; left = l;",
        "assert(left != 0);",
        "assert(left > 0);",
    ],
    predicates: &[
        "left == $f::l\n$f::l > 0",
        "left == $f::l\n1 <= $f::l",
        "left <= $f::l\n$f::l < 1",
        "left == $f::l",
        "$f::l > 0",
        "left",
    ],
};

/// Locks, and what is built of them.
const SHARED: Feature = Feature {
    name: "shared",
    globals: "static int data, ready; static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;",
    locals: "",
    variables: &["data", "ready"],
    values: &["data + ready", "data - ready"],
    statements: &[
        "data = $e; ready = 1;",
        "if (ready) { assert(data != $c); }",
        "while (!ready) ;",
        "__CPROVER_assume(ready);",
        "l = __sync_fetch_and_add(&data, 1);",
        "__sync_bool_compare_and_swap(&ready, 0, 1);",
        "if (__sync_bool_compare_and_swap(&ready, $c, $c)) { $s }",
        "pthread_mutex_lock(&n); data++; l = data; data--; pthread_mutex_unlock(&n);",
        "if (data == 1) l = 1; assert(l != 1);",
        "l = 0; if (data == $c) l = 1; assert(l != 1);",
        "data++;",
        "ready += data;",
    ],
    predicates: &["data", "ready", "$f::l"],
};

/// Integers of all widths.
const WIDTHS: Feature = Feature {
    name: "widths",
    globals: "static unsigned char uc = 255; static signed char sc = -1; static short sh = 300; static unsigned un = 1; static long long ll = -2; static struct { unsigned low : 3; int high : 2; } bits = { 5, -1 };",
    locals: "unsigned char lc = 3; unsigned lu = 2;",
    variables: &["uc", "sc", "sh", "un", "ll", "bits.low", "bits.high", "lc", "lu"],
    values: &[
        "sc < un",
        "uc + sc",
        "(unsigned char)ll",
        "(short)(sh << 3)",
        "un >> 1",
        "ll / 2",
        "sc % 2",
        "-lu",
        "~lc",
        "lu - 3 > 1",
        "(sh & 7) ^ uc",
        "uc << $n",
        "un * lu",
        "sizeof sh",
        "(_Bool)lc",
    ],
    statements: &[
        "$v = $e;",
        "uc++;",
        "sc -= $c;",
        "un -= $c;",
        "sh = ll;",
        "bits.low = $e;",
        "bits.low++;",
        "bits.high = $c;",
        "lc = lc * 2 + $n;",
        "lu = lu << $n;",
        "un ^= $e;",
        "switch (lc & 3) { case 0: $s case 1: $s break; default: uc = $c; }",
    ],
    predicates: &["uc", "sc", "un", "ll"],
};

/// Of programs with threads.
pub const CONCURRENT: &[Feature] = &[
    STACK, WALK, BYTES, FLAGS, LIST, UNION, CHOICES, OWN, LOCAL, LOCAL, PLACES, SHARED, TICKETS,
    SECTIONS,
];

/// Of programs without.
pub const SEQUENTIAL: &[Feature] =
    &[STACK, WALK, BYTES, FLAGS, LIST, UNION, UNION, CHOICES, OWN, WIDTHS];
