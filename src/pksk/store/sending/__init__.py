"""How requests get to a DynamoDB: as steps that a driver takes, sent again where that is safe."""
