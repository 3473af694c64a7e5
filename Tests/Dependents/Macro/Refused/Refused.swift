import ORM

// Must not compile: each property marked below is of a type that is no attribute. `Tests/Dependents/run`
// type-checks the file and compares all errors with those in Refused.txt, by their lines and words.

struct Plain { var value = 0 }
struct Coded: Codable { var value = 0 }
@Persistable struct Address { var street: String }
@Persistable struct Team { @PrimaryKey var id: Int64 = 0 }

@Persistable
struct Player {
  @PrimaryKey var id: Int64 = 0
  var name: String
  var plain: Plain  // refused
  var coded: Coded?  // refused
  var address: Address  // refused
  var team: Team?  // refused
  var rivals: [Team]  // refused
  var initial: Character  // refused
  var guests: [Team] = []  // refused
}
