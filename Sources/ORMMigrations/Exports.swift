// A program that migrates a store needs the schema of its models as well.
@_exported public import ORMCore
