int agreement_placeholder; int agreement_placeholder = 1;
