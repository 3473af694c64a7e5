struct Info: Codable, Hashable, Sendable {
  struct Line: Codable, Hashable, Sendable { var city: String }
  var lines: [Line]
  var year: Int
}

@Persistable
struct Leaflet {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.json) var info: Info
}

// SNIPPET
