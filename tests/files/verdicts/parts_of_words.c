// precise: FAILED --threads 1
// Bytes, halves and words of one union, and a word across others, are what was written.
extern unsigned __VERIFIER_nondet_uint(void);
union {
    unsigned word;
    unsigned char bytes[4];
    unsigned short halves[2];
} x;
unsigned char buffer[8];

int main(void) {
    x.word = 0x01020304;
    __CPROVER_assert(x.bytes[0] == 4 && x.bytes[3] == 1 && x.halves[1] == 0x102, "parts");
    x.bytes[1] = 0x77;
    x.halves[1] = 0x5566;
    __CPROVER_assert(x.word == 0x55667704, "whole");
    *(unsigned *)(buffer + 2) = x.word;
    __CPROVER_assert(buffer[1] == 0 && buffer[2] == 4 && buffer[5] == 0x55, "across bytes");
    unsigned i = __VERIFIER_nondet_uint() % 4;
    x.bytes[i] = 0;
    __CPROVER_assert(x.word != 0x55660004, "any byte may be the one");
}
