/// The data every contestant keeps.
package enum GraphData {
  package static func age(_ member: Int64) -> Int64 { 18 + (member &* 7919) % 1000 % 60 }
  package static func clubName(_ club: Int64) -> String { "Club \(club)" }
  package static func memberName(_ member: Int64) -> String { "Member number \(member)" }
  /// The part of a member in a checksum; `club` is read through the link back.
  package static func sum(_ id: Int64, _ name: String, _ age: Int64, club: String) -> Int {
    Int(id) &+ name.utf8.count &+ Int(age) &+ club.utf8.count
  }
}
