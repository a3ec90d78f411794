// A tree on the stack of main, which exists once, walked by recursion of any depth.
// precise: SUCCESSFUL
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node {
  int visited;
  struct node *next;
};
int count;
void walk(struct node *n) {
  if (!n) return;
  n->visited = 1;
  walk(n->next);
  assert(n->visited == 1);
}
int main(void) {
  struct node a = {0, 0}, b = {0, &a};
  if (__VERIFIER_nondet_int()) a.next = &b;
  walk(&b);
  return 0;
}
