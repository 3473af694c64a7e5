@Persistable(indexes: [["sensor", "time"]])
struct Sample {
  @PrimaryKey(.generated) var id: Int64 = 0
  var sensor: String
  var time: Date
  var value: Double
  var isChecked = false
}

@Persistable
struct Photo {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  @Attribute(.external) var image: Data?
}

func sample(fromLine line: Substring) throws -> Sample {
  Sample(sensor: String(line), time: .now, value: 0)
}

func use(
  _ store: any Store, schema: Schema, lines: [Substring], samples: [Sample], photo: Photo,
  old: Date
) throws {
  // SNIPPET
}
