import Foundation
import ORM

// Must not compile: words that Swift has for values, and a store has not. `Tests/Dependents/run` type-checks
// the file and compares all errors with those in Words.txt, by their lines and words.

struct Info: Codable, Hashable, Sendable { var city = "" }

@Persistable
struct Snack {
  @PrimaryKey var id: Int64 = 0
  var name: String
  var note: String?
  var tags: [String]
  @Attribute(.json) var info: Info
}

func words() -> [Query<Snack>] {
  [
    Snack.all.where { $0.name.length > 3 },  // refused
    Snack.all.where { $0.tags.count > 0 },  // refused
    Snack.all.where { $0.tags.first == "a" },  // refused
    Snack.all.where { $0.note.count > 3 },  // refused
    Snack.all.where { $0.info.city == "a" },  // refused
    Snack.all.where { $0.name.length() > 3 && !$0.name.isEmpty && $0.tags.count() > 0 },
  ]
}

func ends() -> Query<Snack> { Snack.where { $0.name.hasPrefix("a") } }  // refused
func begins() -> Query<Snack> { Snack.where { $0.name.hasSuffix("a") } }  // refused
