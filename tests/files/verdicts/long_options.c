// precise: SUCCESSFUL
// precise: FAILED -DWRONG
// NOTE assuming that `getopt_long` stops at the first argument that is no option, as of POSIX
#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>

int main(void)
{
    static int is_verbose;
    static const struct option known[] = {{"verbose", no_argument, &is_verbose, 2},
                                          {"threads", required_argument, NULL, 't'},
                                          {"three", optional_argument, NULL, 3},
                                          {NULL, 0, NULL, 0}};
    char *words[] = {"program", "--verb", "--threads=4", "-t5", "--threads", "6", "--th", "--three",
                     "--no",    "--verbose=1", "--threads", NULL};
    int which = -1, count = sizeof words / sizeof *words - 1;
    opterr = 0;
    assert(getopt_long(count, words, "t:", known, &which) == 0 && is_verbose == 2 && which == 0);
    assert(getopt_long(count, words, "t:", known, &which) == 't' && optarg[0] == '4' && which == 1);
    assert(getopt_long(count, words, "t:", known, NULL) == 't' && optarg[0] == '5' && optind == 4);
    assert(getopt_long(count, words, "t:", known, NULL) == 't' && !strcmp(optarg, "6") && optind == 6);
    assert(getopt_long(count, words, "t:", known, NULL) == '?' && optopt == 0);
    assert(getopt_long(count, words, "t:", known, NULL) == 3 && !optarg);
    assert(getopt_long(count, words, "t:", known, NULL) == '?' && optopt == 0);
    assert(getopt_long(count, words, "t:", known, NULL) == '?' && optopt == 2);
    assert(getopt_long(count, words, ":t:", known, NULL) == ':' && optopt == 't');
    assert(getopt_long(count, words, "t:", known, NULL) == -1 && optind == count);
#ifdef WRONG
    assert(is_verbose == 1);
#endif
    return 0;
}
