import ORM

// Must not compile: what a model's text does not show, and the compiler alone can tell. `Tests/Dependents/run`
// type-checks the file and compares all errors with those in Misuses.txt, by their lines and words.

struct SeatKey: CompositeKey { var room: String; var number: Int }
struct Plain { var value = 0 }
class Base: @unchecked Sendable { var stored = 0 }
@Persistable struct Cup { @PrimaryKey var id: Int64 = 0; var seat: ToOne<Room> = ToOne() }
@Persistable struct Mug { @PrimaryKey var id: Int64 = 0; var seat: ToOne<Room> = ToOne() }

@Persistable
struct Seat {
  @PrimaryKey var id: SeatKey  // refused
  var isTaken = false
}

@Persistable
struct Room {
  @PrimaryKey var id: Int64 = 0
  @Relationship(inverse: \Cup.seat) var mugs: ToMany<Mug> = ToMany()  // refused
  @Embedded var plain: Plain  // refused
}

@Persistable
final class Inherited: Base, @unchecked Sendable {  // refused
  @PrimaryKey var id: Int64 = 0
  override init() {}
}

@Persistable struct Unkeyed { var name: String }

func unkeyed(_ model: Unkeyed) throws {
  _ = try model.save()  // refused
  try model.delete()  // refused
  _ = try Unkeyed.find(1)  // refused
}
