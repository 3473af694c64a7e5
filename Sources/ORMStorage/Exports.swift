// A store's author imports ORMStorage alone: values, order and errors come with it.
@_exported public import ORMValues
