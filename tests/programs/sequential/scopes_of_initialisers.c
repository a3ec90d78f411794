// covers: scopes
// A name is in scope in its own initialiser; `extern` in a block means no local.
#include "observe.h"

struct node { struct node *next, *other; int value; };
struct node node = { 0, 0, 7 };
char text[10];
int x = 1;

int main(void)
{
    static struct node node = { &node, &node, 3 };
    observe(node.next->value);
    observe(node.other == &node);
    {
        static int text = sizeof(text);
        observe(text);
    }
    {
        int text = sizeof(text);
        observe(text);
    }
    {
        long text[] = { sizeof(text[0]), sizeof text[0] };
        observe(text[0] + text[1]);
    }
    {
        static long text[] = { [sizeof text[0]] = sizeof(text[0]) };
        observe(text[8] + sizeof text);
    }
    static int x = 2;
    {
        extern int x;
        observe(x);
        x = 5;
    }
    observe(x);
    {
        int x = 3;
        {
            extern int x;
            observe(x);
        }
        observe(x);
    }
    observe_end();
    return 0;
}
