// covers: heap
#include <stdlib.h>
#include "observe.h"

struct tree { int key; struct tree *left, *right; };
static void insert(struct tree **t, int key)
{
    while (*t)
        t = key < (*t)->key ? &(*t)->left : &(*t)->right;
    *t = calloc(1, sizeof **t);
    (*t)->key = key;
}
static int sum(struct tree *t) { return t ? t->key + sum(t->left) + sum(t->right) : 0; }
static int depth(struct tree *t)
{
    if (!t)
        return 0;
    int l = depth(t->left), r = depth(t->right);
    return 1 + (l > r ? l : r);
}

int main(void)
{
    int keys[] = { 5, 2, 8, 1, 9 };
    struct tree *root = 0;
    for (int i = 0; i < 5; i++)
        insert(&root, keys[i]);
    observe(sum(root));
    observe(depth(root));
    observe_end();
    return 0;
}
