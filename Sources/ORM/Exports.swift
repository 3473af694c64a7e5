// A program imports ORM alone: models, queries, errors and the store protocol come with it.
@_exported public import ORMCore
@_exported public import ORMRows
