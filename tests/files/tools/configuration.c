// What is not on the command line stands in sapa.toml, of this folder or one above; the command line wins.
// RUN: cd %d/project && sapa check
// RUN: cd %d/project/below && sapa check; sapa check -DSTEP=3; sapa check --property assertions -v --threads 2 2>/dev/null
// RUN: cd %d/project && sapa check --entry main 2>&1
// With a file on the command line it is asked for by name.
// RUN: cd %d/project/below && sapa check other.c; sapa check --config ../sapa.toml --entry main other.c
// What is wrong with it is shown where it stands.
// RUN: cd %d/project && for f in key type value option syntax twice list none; do sapa check --config wrong/$f.toml counter.c 2>&1; done | sed "s/one of 'all'.*/one of …/"
// RUN: cd %d/project && sapa check --json --config wrong/list.toml | grep -e '"text"' -e '"line"' -e '"column"'
// Files that it names are written unless they are left out.
// RUN: cd %d/project && sapa check --config products.toml counter.c 2>&1; sapa check --no-products --config products.toml counter.c 2>&1
// RUN: cd / && sapa check 2>&1
// EXIT: 1
