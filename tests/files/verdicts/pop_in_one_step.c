// precise: FAILED --threads 1
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
struct node {
    int value;
    struct node *next;
} nodes[2], *head;

int main(void) {
    nodes[0].value = 1;
    nodes[1].value = 2;
    nodes[0].next = &nodes[1];
    head = &nodes[0];
    __VERIFIER_atomic_begin();
    struct node *top = head;
    head = top->next;
    int found = top->value;
    __VERIFIER_atomic_end();
    __CPROVER_assert(found != 1, "the top");
}
