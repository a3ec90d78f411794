// precise: SUCCESSFUL
// Behind the last argument is null, and each is a text.
#include <assert.h>

int main(int argc, char **argv)
{
    assert(argv[argc] == 0);
    if (argc > 1) {
        assert(argv[0] && argv[1] && argv[0] != argv[1]);
        assert(argv[1][11] == 0);
    }
    return 0;
}
