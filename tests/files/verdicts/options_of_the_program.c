// precise: SUCCESSFUL
#include <assert.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int option, is_verbose = 0;
    char *name = 0;
    if (argc > 1)
        return 0;
    while ((option = getopt(argc, argv, "vn:")) != -1) {
        switch (option) {
        case 'v':
            is_verbose = 1;
            break;
        case 'n':
            assert(optarg);
            name = optarg;
            break;
        default:
            assert(option == '?');
            return 1;
        }
    }
    assert(!is_verbose && !name && optind == 1);
    return 0;
}
