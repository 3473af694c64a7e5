import Foundation
import ORM

// Must compile, each expression within seconds: long chains of groups of conditions, and of aggregates.
// Alone, each takes well under one second.

struct Info: Codable, Hashable, Sendable { var city = "" }

@Persistable
struct Folder {
  @PrimaryKey var id: Int64 = 0
  var name: String
  var note: String?
  var count = 0
  var most: Int?
  var price = 0.0
  var total: Decimal = 0
  @Attribute(.json) var info: Info?
  @Relationship(inverse: \Folder.children) var parent: ToOne<Folder> = ToOne()
  var children: ToMany<Folder> = ToMany()
}

func chains() -> [Query<Folder>] {
  [
    Folder.where {
      ($0.count > 1 && $0.most < 2) || ($0.name == "a" && $0.price > 2.5)
        || ($0.id == 3 && $0.note == nil) || ($0.total > 3 && $0.count != 4)
        || ($0.parent.name == "x" && $0.children.count > 3) || !($0.count == 3 || $0.most == 4)
    },
    Folder.where {
      ($0.count + 1 > 1 && $0.count * 2 < 2) || ($0.price * 2 > 2.5 && $0.price / 3 < 4)
        || ($0.id % 2 == 3) || ($0.total + 1 > 3 && $0.count - $0.count != 4)
    },
    Folder.all.where(
      (\.count > 1 && \.count < 2) || (\.name == "a" && \.price > 2.5)
        || (\.id == 3 && \.count == 1)
        || (\.total > 3 && \.count != 4) || !(\.count == 3 || \.count == 4)),
    Folder.where { $0.parent.id == $0.id && $0.info == nil && $0.most == $0.count },
    Folder.where { $0.total == $0.parent.children.max(\.total) },
    Folder.where { [1, 2].contains($0.id) && Set(["a"]).contains($0.name) },
  ]
}

func groups() {
  _ = Folder.all.grouped(by: \.name) {
    ($0.count(), $0.sum(\.count), $0.max(\.price), $0.min(\.most), $0.average(\.price))
  }.having {
    ($0.count() > 2 && $0.sum(\.count) > 3) || ($0.max(\.price) < 2.5 && $0.average(\.price) > 1)
      || $0.min(\.count) == $0.max(\.count)
  }
}
