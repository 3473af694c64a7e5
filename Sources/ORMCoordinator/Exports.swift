// A program imports the coordinator alone: the operations come with it.
@_exported public import ORM
