// What is asked of memory models has to make sense.
// RUN: sapa check --mm arm %s 2>&1 || echo "exit $?"
// RUN: sapa check --mm c11 %s 2>&1 || echo "exit $?"
// RUN: sapa check --mm tso --buffer-bound 0 %s 2>&1 || echo "exit $?"
// RUN: sapa check --mm tso --buffer-bound -1 %s 2>&1 || echo "exit $?"
// RUN: sapa check --mm tso --buffer-bound x %s 2>&1 || echo "exit $?"
// RUN: sapa check --mm sc --buffer-bound 2 %s 2>&1 || echo "exit $?"
// RUN: echo 'void main() begin skip; end' > %t.bp; for mm in tso sc; do sapa check --mm $mm %t.bp 2>&1 || echo "exit $?"; done
int main(void)
{
    return 0;
}
