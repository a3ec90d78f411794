/* Runs a script of `benches/bdd/script.rs` with CUDD and prints the milliseconds between its start
 * and stop, the peak resident set in KiB, and the densities, as the other engines do. Built by
 * `cargo bench -p sapa-benchmarks --bench bdd` against whatever shared object exports CUDD 3. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct DdManager DdManager;
typedef struct DdNode DdNode;
extern DdManager *Cudd_Init(unsigned vars, unsigned zdd_vars, unsigned slots, unsigned cache, unsigned long memory);
extern DdNode *Cudd_bddIthVar(DdManager *, int);
extern DdNode *Cudd_ReadOne(DdManager *);
extern DdNode *Cudd_bddAnd(DdManager *, DdNode *, DdNode *);
extern DdNode *Cudd_bddOr(DdManager *, DdNode *, DdNode *);
extern DdNode *Cudd_bddXor(DdManager *, DdNode *, DdNode *);
extern DdNode *Cudd_bddIte(DdManager *, DdNode *, DdNode *, DdNode *);
extern DdNode *Cudd_bddAndAbstract(DdManager *, DdNode *, DdNode *, DdNode *);
extern void Cudd_Ref(DdNode *);
extern void Cudd_RecursiveDeref(DdManager *, DdNode *);
extern int Cudd_ReduceHeap(DdManager *, int method, int minimum);
extern double Cudd_CountMinterm(DdManager *, DdNode *, int vars);

enum { SIFT = 4 };

static DdNode *complement(DdNode *f) { return (DdNode *)((unsigned long)f ^ 1UL); }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static long peak(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %ld", &kib);
    if (status) fclose(status);
    return kib;
}

int main(int argc, char **argv) {
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    unsigned vars, registers;
    if (!in || fscanf(in, "%u %u", &vars, &registers) != 2) return 2;
    DdManager *dd = Cudd_Init(vars, 0, 256, 262144, 0);
    DdNode **r = calloc(registers, sizeof *r);
    double start = now(), time = 0, *densities = NULL;
    size_t counted = 0;
    char op;
    while (fscanf(in, " %c", &op) == 1) {
        unsigned t = 0, a, b, c;
        DdNode *f = NULL;
        switch (op) {
        case 'v': if (fscanf(in, "%u %u", &t, &a) != 2) return 2; f = Cudd_bddIthVar(dd, (int)a); break;
        case 'c':
            if (fscanf(in, "%u %u", &t, &b) != 2) return 2;
            f = Cudd_ReadOne(dd);
            Cudd_Ref(f);
            while (b-- > 0) {
                if (fscanf(in, "%u", &a) != 1) return 2;
                DdNode *g = Cudd_bddAnd(dd, f, Cudd_bddIthVar(dd, (int)a));
                Cudd_Ref(g);
                Cudd_RecursiveDeref(dd, f);
                f = g;
            }
            r[t] = f;
            continue;
        case '!': if (fscanf(in, "%u %u", &t, &a) != 2) return 2; f = complement(r[a]); break;
        case '&': if (fscanf(in, "%u %u %u", &t, &a, &b) != 3) return 2; f = Cudd_bddAnd(dd, r[a], r[b]); break;
        case '|': if (fscanf(in, "%u %u %u", &t, &a, &b) != 3) return 2; f = Cudd_bddOr(dd, r[a], r[b]); break;
        case '^': if (fscanf(in, "%u %u %u", &t, &a, &b) != 3) return 2; f = Cudd_bddXor(dd, r[a], r[b]); break;
        case '?': if (fscanf(in, "%u %u %u %u", &t, &a, &b, &c) != 4) return 2; f = Cudd_bddIte(dd, r[a], r[b], r[c]); break;
        case 'e': if (fscanf(in, "%u %u %u %u", &t, &a, &b, &c) != 4) return 2; f = Cudd_bddAndAbstract(dd, r[a], r[b], r[c]); break;
        case 'f': if (fscanf(in, "%u", &t) != 1) return 2; Cudd_RecursiveDeref(dd, r[t]); r[t] = NULL; continue;
        case 'o': if (!Cudd_ReduceHeap(dd, SIFT, 0)) return 3; continue;
        case 's': start = now(); continue;
        case 't': time = now() - start; continue;
        case 'n':
            if (fscanf(in, "%u", &t) != 1) return 2;
            densities = realloc(densities, (counted + 1) * sizeof *densities);
            /* More variables than that overflow a double. */
            densities[counted++] = vars > 1000 ? NAN : Cudd_CountMinterm(dd, r[t], (int)vars) / pow(2, vars);
            continue;
        default: return 2;
        }
        if (!f) return 3;
        Cudd_Ref(f);
        r[t] = f;
    }
    printf("%f %ld", time, peak());
    for (size_t i = 0; i < counted; i++) printf(" %.12g", densities[i]);
    printf("\n");
    return 0;
}
