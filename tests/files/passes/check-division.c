// RUN: cd %d && sapa-cc check-division.c | sapa-opt --verify-each -p 'mem2reg,check-division'
// What is not defined for all operands, and nothing else.
int all(int a, int b, unsigned c, unsigned d) {
    int by_constants = a / 3 + a % -1 + (a << 4);
    return by_constants + a / b + (int)(c % d) + (a >> b) + 7 / b;
}

int main(void) { return all(1, 2, 3, 4); }
