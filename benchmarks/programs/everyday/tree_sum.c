// Two threads add the values in the two subtrees of a binary tree by recursion; main adds the root's.
//
// Safe: each thread walks through its own subtree and nobody changes the tree: 1 + ... + 7 = 28.
// Broken: a node without a left child is taken for a leaf, and what is at its right is forgotten.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    int value;
    const struct node *left;
    const struct node *right;
};

static const struct node seven = { 7, NULL, NULL };
static const struct node six = { 6, NULL, &seven };
static const struct node five = { 5, NULL, NULL };
static const struct node four = { 4, NULL, NULL };
static const struct node three = { 3, &five, &six };
static const struct node two = { 2, &four, NULL };
static const struct node one = { 1, &two, &three };

static long sum(const struct node *node)
{
    if (node == NULL)
        return 0;
#ifdef BROKEN
    if (node->left == NULL)
        return node->value;
#endif
    return node->value + sum(node->left) + sum(node->right);
}

static void *walk(void *arg)
{
    return (void *)sum(arg);
}

int main(void)
{
    pthread_t left, right;
    void *left_sum, *right_sum;
    pthread_create(&left, NULL, walk, (void *)one.left);
    pthread_create(&right, NULL, walk, (void *)one.right);
    pthread_join(left, &left_sum);
    pthread_join(right, &right_sum);
    assert(one.value + (long)left_sum + (long)right_sum == 28);
    return 0;
}
