#include "contact.h"

typedef struct {
  const mjModel* model;
  const double* row;
  mjData* data;
  pr_Contact* contacts;
  int most;
  int* found;
} Contacts;

static void findContacts(void* arg) {
  Contacts* c = arg;
  c->data = mj_makeData(c->model);
  mj_setState(c->model, c->data, c->row, mjSTATE_INTEGRATION);
  mj_fwdPosition(c->model, c->data);
  *c->found = c->data->ncon;
  for (int i = 0; i < c->data->ncon && i < c->most; i++) {
    const mjContact* from = &c->data->contact[i];
    c->contacts[i] = (pr_Contact){{from->geom[0], from->geom[1]}, from->dist};
  }
}

int pr_contacts(const mjModel* m, const double* row, pr_Contact* contacts, int most, int* found,
                char* message) {
  Contacts c = {.model = m, .row = row, .contacts = contacts, .most = most, .found = found};
  int failed = pr_guard(findContacts, &c, message);
  mj_deleteData(c.data);
  return failed;
}
