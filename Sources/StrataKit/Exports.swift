// One import for the operations and every feature that a program may leave out.
@_exported public import ORM
@_exported public import ORMCoordinator
@_exported public import ORMExchange
@_exported public import ORMMigrations
@_exported public import ORMObservation
@_exported public import ORMSessions
