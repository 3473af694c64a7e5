import Foundation
import ORM

// Must compile, each expression within seconds: long chains of groups of conditions, of aggregates, and
// of counts of related objects. Alone, each takes at most about one second.

struct Info: Codable, Hashable, Sendable { var city = "" }

@Persistable
struct Folder {
  @PrimaryKey var id: Int64 = 0
  var name: String
  var note: String?
  var count = 0
  var most: Int?
  var price = 0.0
  var isOpen = false
  var tags: [String] = []
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

// A count of related objects stands beside an attribute of its name, and in each form of closure.

func counts(_ c: Fields<Folder>) -> [Filter<Folder>] {
  [
    c.children.count > 1 && c.children.count > 2 && c.children.count > 3 && c.children.count > 4
      && c.children.count > 5 && c.children.count > 6 && c.children.count > 7
      && c.children.count > 8,
    (c.children.count > 1 && c.children.count < 2) || (c.children.count == 3 && c.isOpen)
      || (c.children.count > 5 && c.children.count != 6) || !(c.count > 7 || c.children.count > 8),
    c.children.count > c.count && c.parent.children.count > 3 && c.children.children.count > 3
      && c.children.parent.count == 4 && c.children.max(\.count) == 3
      && c.children.count == c.parent.children.count && c.tags.count() > 3,
    c.parent.count > 1 && c.parent.name == "a" && c.parent.most < 3 && c.parent.price > 2.5
      && c.parent.total == 3 && c.parent.id != 4 && c.parent.parent.name == "x"
      && c.parent.parent.count == 3,
  ]
}

func sumsOfCounts(_ c: Fields<Folder>) -> Filter<Folder> {
  c.children.count + 1 > 3 && c.children.count * 2 > 3 && c.children.count - c.count > 4
    && c.children.count + c.count * 2 > 4 && c.children.count + 1 > 3 && c.children.count * 2 > 3
    && c.children.count - c.count > 4 && c.children.count + c.count * 2 > 4
}

func countsOfElements() -> [Query<Folder>] {
  [
    Folder.where {
      $0.children.any {
        $0.children.count > 1 && $0.children.count < 3 && $0.children.count > 1
          && $0.children.count < 3 && $0.children.count > 1 && $0.name == "a"
          && $0.parent.name == "x" && $0.isOpen
      }
    },
    Folder.where {
      $0.children.count { $0.count > 1 } > 1 && $0.children.count { $0.count > 1 } > 1
        && $0.children.count { $0.count > 1 } > 1 && $0.children.count { $0.count > 1 } > 1
        && $0.children.count { $0.count > 1 } > 1 && $0.children.count { $0.count > 1 } > 1
        && $0.children.count { $0.count > 1 } > 1 && $0.children.count { $0.count > 1 } > 1
    },
  ]
}

func countsOfGroups() {
  _ = Folder.all.grouped(by: \.name) { ($0.count(), $0.sum(\.count)) }.having {
    ($0.count() > 2 && $0.count() > 3) || ($0.count() < 2 && $0.count() > 1)
      || ($0.count() > 2 && $0.sum(\.count) > 3) || ($0.count() < 2 && $0.name == "a")
  }
}
