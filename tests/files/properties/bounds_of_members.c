// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DCOPY
// precise: FAILED --property bounds -DAPPEND
// precise: FAILED --property bounds -DPRINT
// precise: FAILED --property bounds -DLOOP
// precise: FAILED --property bounds -DCHOICE
// precise: FAILED --property bounds -DPARAMETER
// precise: FAILED --property bounds -DRETURNED
// precise: FAILED --property bounds -DROW
// precise: FAILED --property bounds -DHEAP
// precise: FAILED --property bounds -DBACK
// precise: FAILED --property bounds -DELEMENT
// A pointer to elements of an array within an object comes only to those, wherever it is handed: to the library, to functions,
// round loops. Behind the array the object goes on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct user {
    int number;
    char name[8];
    int id;
} user;
struct {
    char lines[3][4];
    int last;
} page;
char other[16];

static void fill(char *to, int count) {
    for (int i = 0; i < count; i++)
        to[i] = 'x';
}

struct group {
    struct user users[2];
    struct user last;
} group;

static void number(struct user *users, int count) {
    for (int i = 0; i < count; i++)
        users[i].number = i;
}

static char *skip(char *text, int count) { return text + count; }

int main(void) {
    char *to = user.name;
#ifdef LOOP
    const char *from = "12345678";
#else
    const char *from = "1234567";
#endif
    while ((*to++ = *from++))
        ;
#ifdef COPY
    strcpy(user.name, "12345678");
#else
    strcpy(user.name, "1234567");
#endif
    strcpy(user.name, "123456");
#ifdef APPEND
    strcat(user.name, "78");
#else
    strcat(user.name, "7");
#endif
#ifdef PRINT
    snprintf(user.name, sizeof user.name + 1, "%s", "12345678");
#else
    snprintf(user.name, sizeof user.name, "%s", "12345678");
#endif
    char *either = __VERIFIER_nondet_int() ? user.name : other;
#ifdef CHOICE
    either[8] = 0;
#else
    either[7] = 0;
    if (either == other)
        other[8] = 0;
#endif
#ifdef PARAMETER
    fill(user.name, 9);
#else
    fill(user.name, 8);
#endif
    fill(other, 16);
#ifdef RETURNED
    *skip(user.name, 8) = 0;
#else
    *skip(user.name, 7) = 0;
#endif
#ifdef ROW
    strcpy(page.lines[1], "1234");
#else
    strcpy(page.lines[1], "123");
#endif
    struct user *made = malloc(sizeof *made);
    if (!made)
        return 0;
#ifdef HEAP
    fill(made->name, 10);
#else
    fill(made->name, 8);
#endif
#ifdef BACK
    for (char *p = made->name + 7; p >= made->name; p--)
        p[-1] = 0;
#else
    for (char *p = made->name + 7; p >= made->name; p--)
        *p = 0;
#endif
    free(made);
#ifdef ELEMENT
    number(group.users, 3);
#else
    number(group.users, 2);
#endif
    return 0;
}
