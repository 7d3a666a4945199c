/* contract_struct.h - structs shared by the program and the kernels of the contract. Device
 * compilers read it too: no includes, members of fixed width. */
#ifndef CONTRACT_STRUCT_H
#define CONTRACT_STRUCT_H

typedef struct contract_body {
    float x, y, z, mass;
} contract_body;

typedef struct contract_force {
    double time;
    float pull;
    int32_t steps;
} contract_force;

#endif
