import SQLiteBackend
import ORM
import SameLines

try runSameLines(on: SQLiteStore(path: CommandLine.arguments[1], schema: Schema(Snack.self)))
