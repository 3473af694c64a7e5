import LMDBBackend
import ORM
import SameLines

try runSameLines(on: LMDBStore(path: CommandLine.arguments[1], schema: Schema(Snack.self)))
