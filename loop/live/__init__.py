"""The live client: a model on a server that speaks Chat Completions, behind the model seam."""
