// A program that opens several stores as one needs the schema of its models as well.
@_exported public import ORMCore
