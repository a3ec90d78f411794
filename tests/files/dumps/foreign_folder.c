// A folder with other files in it is left alone.
// RUN: mkdir %t.d; echo kept > %t.d/notes; sapa check %s --dump-dir %t.d 2>&1 | sed 's|/[^ ]*/||'; ls %t.d
// RUN: sapa check %s --dump-dir %t.d 2> /dev/null
// EXIT: 2
// check: holds files that are not of an earlier run: give --dump-dir an empty folder or a new one
// nextln: notes
// nextln: $()
int main(void) { assert(1); }
