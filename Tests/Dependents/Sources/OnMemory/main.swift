import MemoryBackend
import ORM
import SameLines

try runSameLines(on: MemoryStore(schema: Schema(Snack.self)))
